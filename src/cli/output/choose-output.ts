import stringWidth from "string-width";
import type { Run } from "../../core/run/run.ts";
import { createJsonOutput } from "./json-output.ts";
import { createLiveOutput } from "./live-output.ts";
import { createPlainOutput } from "./plain-output.ts";
import type { Env, OutputStream, RunOutput } from "./run-output.ts";
import { realTimers } from "./timers.ts";
import { wantsColor } from "./wants-color.ts";
import { wantsTitle } from "./window-title.ts";

export type OutputChoice = {
  readonly stream: OutputStream;
  readonly json: boolean;
  readonly env: Env;
  /** A run that is already there; see createLiveOutput. */
  readonly run?: Run;
};

/** JSON when asked for; the live table for a person at a terminal; plain lines for everyone else. */
export function chooseOutput({ stream, json, env, run }: OutputChoice): RunOutput {
  if (json) return createJsonOutput(stream);
  const color = wantsColor(stream, env);
  const live = canDrawLive(stream, env);
  const title = wantsTitle(env, live);
  if (!live) return createPlainOutput(stream, { color, title });
  return createLiveOutput(stream, {
    color,
    title,
    measure: stringWidth,
    timers: realTimers,
    ...(run ? { run } : {}),
  });
}

export function canDrawLive(stream: Pick<OutputStream, "isTTY">, env: Env): boolean {
  const ci = env.CI !== undefined && !["", "0", "false"].includes(env.CI);
  return stream.isTTY === true && env.TERM !== "dumb" && !ci;
}
