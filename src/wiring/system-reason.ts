import { getSystemErrorMap } from "node:util";
import { messageOf } from "../core/errors.ts";

/** Why the system refused, without the names of codes and calls that Node puts around it. */
export function systemReason(error: unknown): string {
  const errno = error instanceof Error && "errno" in error ? error.errno : null;
  const [, known] = (typeof errno === "number" && getSystemErrorMap().get(errno)) || [];
  return known ?? messageOf(error);
}
