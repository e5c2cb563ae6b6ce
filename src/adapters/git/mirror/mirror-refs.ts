import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Sha } from "../../../core/ids.ts";
import type { GitAnswer, GitCall } from "../../../ports/git.ts";
import { GitFailure } from "../run/git-failure.ts";

export type MirrorRefs = {
  /** The git directory that they are in. */
  readonly folder: string;
  run(call: GitCall): Promise<GitAnswer>;
};

const ROUNDS = 5;

/**
 * Writes down where the other side's refs were, so that the next fetch only asks for what is new. What git does to the file of a
 * ref is done here, behind the same lock, without a process; git itself where somebody holds it, or where refs are packed.
 */
export async function rememberRefs(
  { folder, run }: MirrorRefs,
  refs: readonly string[],
  found: ReadonlyMap<string, Sha>,
): Promise<void> {
  const left = [...new Set(refs)].filter((ref) => !writeRef(folder, mirrorRef(ref), found.get(ref)));
  if (left.length === 0) return;
  const edits = left.map((ref) => {
    const sha = found.get(ref);
    return sha === undefined ? `delete ${mirrorRef(ref)}\0\0` : `update ${mirrorRef(ref)}\0${sha}\0\0`;
  });
  for (let round = 1; ; round += 1) {
    try {
      await run({ command: "update-ref", options: ["--no-deref", "-z", "--stdin"], input: edits.join("") });
      return;
    } catch (error) {
      // Another process is writing the same refs; either of us is right.
      const isLocked = error instanceof GitFailure && /lock/i.test(error.stderr);
      if (!isLocked || round === ROUNDS) throw error;
    }
  }
}

/** false: git has to do it. */
function writeRef(folder: string, name: string, sha: Sha | undefined): boolean {
  const file = join(folder, name);
  const lock = `${file}.lock`;
  const text = sha === undefined ? null : `${sha}\n`;
  try {
    if (readOrNull(file) === text && text !== null) return true;
    if (existsSync(join(folder, "packed-refs"))) return false;
    mkdirSync(join(folder, PLACE), { recursive: true });
    // Somebody else's is theirs to remove. From here on it is this one's, also where the disk has no room for a word.
    closeSync(openSync(lock, "wx"));
  } catch {
    return false;
  }
  try {
    writeFileSync(lock, text ?? "");
    if (text !== null) renameSync(lock, file);
    else {
      rmSync(file, { force: true });
      rmSync(lock);
    }
    return true;
  } catch {
    rmSync(lock, { force: true });
    return false;
  }
}

function readOrNull(file: string): string | null {
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}

const PLACE = "refs/loom/remote";

/** Under names that can't get into each other's way as folders do. */
function mirrorRef(ref: string): string {
  const name = ref
    .replace(/^refs\//, "")
    .replaceAll("%", "%25")
    .replaceAll("/", "%2F");
  // The name of a file has an end at 255 bytes.
  const short =
    Buffer.byteLength(name) <= 200 ? name : `long-${createHash("sha256").update(ref).digest("hex")}`;
  return `${PLACE}/${short}`;
}
