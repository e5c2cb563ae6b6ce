import type { Env, OutputStream } from "./run-output.ts";

/** FORCE_COLOR decides when it is set, as in Node itself; then NO_COLOR (any value); then what is at the other end. */
export function wantsColor(stream: Pick<OutputStream, "isTTY">, env: Env): boolean {
  const force = env.FORCE_COLOR;
  if (force !== undefined) return force !== "0" && force !== "false";
  if (env.NO_COLOR) return false;
  return stream.isTTY === true && env.TERM !== "dumb";
}
