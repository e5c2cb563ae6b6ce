import { open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Sha } from "../../../core/ids.ts";
import type { RepositoryGit } from "../../../ports/git.ts";
import type { DiffStart } from "../../../ports/workspace.ts";

type DiffOptions = { readonly maxBytes: number; readonly paths?: readonly string[] };

/** Whatever a repository or a person has set up for diffs is left out. */
const PLAIN = ["-r", "-M", "--no-ext-diff", "--no-textconv"];

export async function readDiff(
  git: RepositoryGit,
  from: Sha,
  to: Sha,
  options: DiffOptions,
): Promise<string> {
  const { text, missing } = await readStart(git, from, to, options);
  return missing === 0 ? text : `${text}\n… (${missing} more bytes of this diff are not shown)\n`;
}

export async function readDiffStart(
  git: RepositoryGit,
  from: Sha,
  to: Sha,
  options: DiffOptions,
): Promise<DiffStart> {
  const { text, missing } = await readStart(git, from, to, options);
  if (missing === 0) return { text, cut: null };
  const lines = text.slice(0, text.lastIndexOf("\n") + 1) || text;
  const { stdout } = await git.trusted({
    command: "diff-tree",
    options: [...PLAIN, "--name-only", "-z"],
    values: [from, to],
  });
  const bytes = missing + Buffer.byteLength(text) - Buffer.byteLength(lines);
  return { text: lines, cut: { bytes, files: stdout.split("\0").length - 1 } };
}

/** The rest is only counted. */
async function readShown(git: RepositoryGit, from: Sha, to: Sha, maxBytes: number) {
  const chunks: Buffer[] = [];
  let kept = 0;
  let size = 0;
  await git.diffs.show("reading", from, to, (chunk) => {
    size += chunk.length;
    if (kept >= maxBytes) return;
    chunks.push(chunk.subarray(0, maxBytes - kept));
    kept += chunks.at(-1)?.length ?? 0;
  });
  return cutText(Buffer.concat(chunks), size);
}

/** Through a file, because a diff can be as large as the repository and only its beginning is wanted. */
async function readStart(
  git: RepositoryGit,
  from: Sha,
  to: Sha,
  { maxBytes, paths }: DiffOptions,
): Promise<{ readonly text: string; readonly missing: number }> {
  if (from === to || paths?.length === 0) return { text: "", missing: 0 };
  if (!paths) return readShown(git, from, to, maxBytes);
  const folder = await git.scratch();
  const file = join(folder, "diff");
  try {
    await git.trusted({
      command: "diff-tree",
      options: [...PLAIN, "-p", "--no-color", `--output=${file}`],
      values: [from, to],
      paths,
    });
    return await readFileStart(file, maxBytes);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readFileStart(file: string, maxBytes: number) {
  const { size } = await stat(file);
  const buffer = Buffer.alloc(Math.min(size, maxBytes));
  const handle = await open(file, "r");
  try {
    await handle.read(buffer, 0, buffer.length, 0);
  } finally {
    await handle.close();
  }
  return cutText(buffer, size);
}

/** A letter that was cut through goes. */
function cutText(start: Buffer, size: number): { readonly text: string; readonly missing: number } {
  if (size <= start.length) return { text: start.toString("utf8"), missing: 0 };
  const text = start.toString("utf8").replace(/\ufffd$/, "");
  return { text, missing: size - Buffer.byteLength(text) };
}
