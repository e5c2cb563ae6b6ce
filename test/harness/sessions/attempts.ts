import type { SeenRequest } from "../../support/model-server/seen-request.ts";
import type { ToolCall } from "../../support/model-server/step.ts";
import type { DrivenCli } from "./driven-clis.ts";

/** What a model asks for by the tools' own names, also where they are not offered: the CLI or the sandbox has to keep it from them. */
/** Written so that the command itself does not hold what it prints. */
export const RUN = "echo it-'ran'; touch touched.txt";
export const SCRATCH = `echo own-'tmp' > "$TMPDIR/note" && cat "$TMPDIR/note" && echo own-'home' > "$HOME/note" && cat "$HOME/note"`;

/** Whether the CLI offers the tool of this call to its model. */
export function offers(asked: SeenRequest | undefined, call: ToolCall): boolean {
  const name = "raw" in call ? call.raw.name : "";
  return asked?.tools.some((tool) => tool.name === name) ?? false;
}

/** Codex always offers both: it reads through its shell, and its patch tool can't be taken away. */
export function offered({ id }: DrivenCli, wanted: boolean): boolean {
  return id === "codex" || wanted;
}
