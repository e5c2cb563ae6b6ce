import { constants } from "node:fs";
import { type FileHandle, open, readdir, realpath } from "node:fs/promises";
import { join, sep } from "node:path";

const THREAD = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const CHUNK = 256 * 1024;
/** Of one look; the next one goes on from there. */
const MAX_PER_LOOK = 8 * 1024 * 1024;
/** What is looked for is short, or stands at the beginning of a line; the rest is the conversation itself. */
const MAX_LINE = 64 * 1024;
const MAX_LINES_PER_LOOK = 100_000;
const MAX_FILES = 1_000;
const LF = 0x0a;

/**
 * New lines of the file to which codex writes a thread's story, long ones cut. The agent can write there too: links and
 * pipes are not opened, nothing is read that lies elsewhere, and each look is bounded. Whatever goes wrong, there simply
 * are no lines.
 */
export function followRollout(codexHome: string, thread: string) {
  let file: string | null = null;
  let at = 0;
  let held: Buffer = Buffer.alloc(0);

  const keep = (data: Buffer): Buffer =>
    Buffer.concat([held, data.subarray(0, Math.max(0, MAX_LINE - held.length))]);

  const take = (data: Buffer): string[] => {
    const lines: string[] = [];
    let from = 0;
    for (let end = data.indexOf(LF); end >= 0; end = data.indexOf(LF, from)) {
      // A file of empty lines is not worth a list of millions.
      if (held.length + end - from > 0) lines.push(keep(data.subarray(from, end)).toString("utf8"));
      held = Buffer.alloc(0);
      from = end + 1;
    }
    held = keep(data.subarray(from));
    return lines;
  };

  const readOn = async (handle: FileHandle): Promise<string[]> => {
    if (!(await handle.stat()).isFile()) return [];
    const lines: string[] = [];
    const chunk = Buffer.allocUnsafe(CHUNK);
    for (let read = 0; read < MAX_PER_LOOK && lines.length < MAX_LINES_PER_LOOK; ) {
      const { bytesRead } = await handle.read(chunk, 0, CHUNK, at);
      if (bytesRead === 0) break;
      at += bytesRead;
      read += bytesRead;
      for (const line of take(chunk.subarray(0, bytesRead))) lines.push(line);
    }
    return lines;
  };

  return async (): Promise<string[]> => {
    if (!THREAD.test(thread)) return [];
    try {
      file ??= await findRollout(codexHome, thread);
      if (file === null) return [];
      const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        return await readOn(handle);
      } finally {
        await handle.close();
      }
    } catch {
      return [];
    }
  };
}

/** `sessions/<year>/<month>/<day>/rollout-<time>-<thread>.jsonl` */
async function findRollout(codexHome: string, thread: string): Promise<string | null> {
  const root = await realpath(codexHome);
  let folders = [join(root, "sessions")];
  for (let depth = 0; depth < 3; depth += 1) {
    const inside = await Promise.all(folders.map((folder) => namesIn(folder, "folders")));
    folders = inside.flat().slice(0, MAX_FILES);
  }
  const files = (await Promise.all(folders.map((folder) => namesIn(folder, "files")))).flat();
  const found = files.find((name) => name.toLowerCase().endsWith(`-${thread.toLowerCase()}.jsonl`));
  if (found === undefined) return null;
  return (await realpath(found)).startsWith(`${root}${sep}`) ? found : null;
}

async function namesIn(folder: string, kind: "folders" | "files"): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => (kind === "folders" ? entry.isDirectory() : entry.isFile()))
    .slice(0, MAX_FILES)
    .map((entry) => join(folder, entry.name));
}
