import { tryBubblewrap } from "../adapters/sandbox/provider/bubblewrap/try-bubblewrap.ts";
import { UserError } from "../core/errors.ts";
import { sandboxTexts } from "../core/report/texts/sandbox-texts.ts";
import type { Env } from "./settings/env.ts";

/**
 * A service runs what strangers' plans and models come up with, and nobody reads a warning at its start. So where `auto`
 * finds no sandbox it does not start agents, unless the operator says `off` in so many words; `env` holds nothing of a
 * repository's, nor of a `.env` that nobody named. What else LOOM_SANDBOX names fails by itself where it does not work.
 */
export async function requireSandbox(env: Env, cwd: string): Promise<void> {
  const isAuto = ["", "auto"].includes(env.LOOM_SANDBOX?.trim() ?? "");
  if (!isAuto || env.LOOM_SANDBOX_CMD?.trim()) return;
  const trial = await tryBubblewrap(env, cwd);
  if (trial.kind === "fails")
    throw new UserError(sandboxTexts.serviceNeedsOne(trial.reason), {
      next: sandboxTexts.haveOneOrSayOff(trial.next),
      exitCode: 2,
    });
}
