import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";
import { UserError } from "../../core/errors.ts";
import type { Env } from "../settings/env.ts";

/**
 * The user's home. A HOME that is empty or relative counts for nothing: it would mean a folder of wherever Loom was
 * started, and what lies there was written by whoever wrote that repository.
 */
export function homeFolder(env: Env): string {
  const found = [() => env.HOME ?? "", homedir, () => userInfo().homedir].map(orNothing).find(isAbsolute);
  if (found === undefined)
    throw new UserError("HOME names no folder, and this user has no other home.", {
      next: "Set HOME to an absolute path.",
    });
  return found;
}

/** A user without an account, as containers have them, makes the system's answers fail. */
function orNothing(look: () => string): string {
  try {
    return look();
  } catch {
    return "";
  }
}
