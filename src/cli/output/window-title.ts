import { DEFAULTS } from "../../core/config/defaults.ts";
import { WINDOW_TITLES } from "../../core/config/settings/setting-table.ts";
import { createVariables } from "../../core/config/settings/variables.ts";
import { countStages } from "../../core/report/terminal/run-counts.ts";
import type { Run } from "../../core/run/run.ts";
import { plainText } from "../../core/text/escape-text.ts";
import type { Env } from "./run-output.ts";
import type { Write } from "./tolerant-writer.ts";

export type WindowTitle = { show(run: Run): void; restore(): void };

/** LOOM_WINDOW_TITLE: 1 and 0 decide, even about a pipe; anything else means: where the table is drawn live. */
export function wantsTitle(env: Env, live: boolean): boolean {
  const setting = createVariables(env).word("LOOM_WINDOW_TITLE", DEFAULTS.windowTitle, WINDOW_TITLES);
  return setting === "1" || (setting !== "0" && live);
}

const SAVE = "\u001b[22;2t";
// A terminal without a stack of titles is left with an empty one, which most of them fill in themselves.
const RESTORE = "\u001b]2;\u0007\u001b[23;2t";

export function createWindowTitle(write: Write): WindowTitle {
  let shown: string | null = null;
  return {
    show(run) {
      const { done, total } = countStages(run.stages.values(), 0);
      const title = plainText(`loom ${done}/${total} ${run.id}`);
      if (title === shown) return;
      write(`${shown === null ? SAVE : ""}\u001b]2;${title}\u0007`);
      shown = title;
    },
    restore() {
      if (shown !== null) write(RESTORE);
      shown = null;
    },
  };
}

export const noTitle: WindowTitle = { show() {}, restore() {} };
