import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Env } from "./env.ts";

const NAMES_SECRET_FILE =
  /(?:KEY|TOKEN|SECRET|PASSWORD|PASS|CRED|CREDENTIALS|AUTH|PRIVATE|SIGNING|COOKIE)S?_?(?:PATH|FILE)$|_CREDENTIALS$/i;
const MOST_BYTES = 64 * 1024;

/** What stands in files that hold a secret, by variables such as PRIVATE_KEY_PATH. One that can't be read says nothing. */
export function secretsInFiles(env: Env, cwd: string): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (!value || !NAMES_SECRET_FILE.test(name)) return [];
    try {
      const path = resolve(cwd, value);
      const info = statSync(path);
      return info.isFile() && info.size <= MOST_BYTES ? [readFileSync(path, "utf8").trim()] : [];
    } catch {
      return [];
    }
  });
}
