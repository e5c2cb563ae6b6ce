import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionBench } from "./session-bench.ts";

/** Long, as a diff may be. */
const LINES = Array.from({ length: 9_000 }, (_, n) => `+line ${n} of what is shown`);

export type ShownChange = {
  readonly folder: string;
  readonly file: string;
  /** Beside the folder, for nobody. */
  readonly secret: string;
};

/** A folder beside the tree that a session is shown, with a long diff in it. */
export function showChange(bench: SessionBench): ShownChange {
  const around = join(bench.root, ".cache");
  const folder = join(around, "shown, and more");
  const file = join(folder, "change.diff");
  const secret = join(around, "secret.txt");
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${LINES.join("\n")}\n`);
  writeFileSync(secret, "not-for-agents\n");
  return { folder, file, secret };
}
