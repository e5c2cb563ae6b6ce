import type { GitEntry } from "../../model/model-git.ts";
import { runGit } from "../run-git.ts";
import { objectsOf } from "./object-reader.ts";
import { isFullSha } from "./read-history.ts";
import { resolveRevision } from "./resolve-revision.ts";

type Line = {
  readonly kind: "file" | "symlink" | "submodule" | "folder";
  readonly mode: string;
  readonly sha: string;
  readonly name: string;
};

/** What stands at a path, see `ModelGit.entry`. */
export async function readEntry(gitDir: string, revision: string, path: string): Promise<GitEntry | null> {
  const commit = await resolveRevision(gitDir, revision);
  if (commit === null) return null;
  const wanted = path.replace(/^\/+|(?<!\/)\/+$/g, "");
  if (wanted === "") return await readFolder(gitDir, `${commit}^{tree}`, "");
  if (wanted.split("/").some((part) => part === "" || part === "." || part === "..")) return null;
  const line = await findLine(gitDir, commit, wanted.split("/"));
  if (line === null) return null;
  if (line.kind === "folder") return await readFolder(gitDir, line.sha, wanted);
  if (line.kind === "submodule") return { kind: "submodule", path: wanted, sha: line.sha };
  const size = (await objectsOf(gitDir).info(line.sha))?.size ?? 0;
  return { kind: line.kind, path: wanted, sha: line.sha, size, mode: line.mode };
}

/** The id of what stands at a path of a commit, whatever it is; null when nothing does. */
export async function idAt(gitDir: string, commit: string, path: string): Promise<string | null> {
  return (await findLine(gitDir, commit, path.split("/")))?.sha ?? null;
}

async function findLine(gitDir: string, commit: string, names: readonly string[]): Promise<Line | null> {
  let line: Line | null = null;
  for (const name of names) {
    if (line !== null && line.kind !== "folder") return null;
    const lines: Line[] = await readTree(gitDir, line?.sha ?? `${commit}^{tree}`);
    line = lines.find((one) => one.name === name) ?? null;
    if (line === null) return null;
  }
  return line;
}

async function readFolder(gitDir: string, tree: string, path: string): Promise<GitEntry> {
  const sha = (await objectsOf(gitDir).info(tree))?.sha ?? "";
  const lines = await readTree(gitDir, tree);
  const entries = lines.map(async (line) => {
    const isFile = line.kind === "file" || line.kind === "symlink";
    const size = isFile ? ((await objectsOf(gitDir).info(line.sha))?.size ?? 0) : 0;
    return { ...line, path: path === "" ? line.name : `${path}/${line.name}`, size };
  });
  return { kind: "folder", path, sha, entries: await Promise.all(entries) };
}

/** Each entry is its mode, a space, its name, a zero byte and the twenty bytes of its id. */
async function readTree(gitDir: string, tree: string): Promise<Line[]> {
  const found = await objectsOf(gitDir).read(tree);
  if (found?.type !== "tree") throw new Error(`failed to read the tree ${tree} of ${gitDir}`);
  const { bytes } = found;
  const lines: Line[] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    const mode = bytes.toString("latin1", at, space).padStart(6, "0");
    const name = bytes.toString("utf8", space + 1, end);
    at = end + 21;
    lines.push({ kind: kindOf(mode), mode, name, sha: bytes.toString("hex", end + 1, at) });
  }
  return lines;
}

function kindOf(mode: string): Line["kind"] {
  if (mode === "040000") return "folder";
  if (mode === "160000") return "submodule";
  return mode === "120000" ? "symlink" : "file";
}

export async function readBlob(gitDir: string, sha: string): Promise<Uint8Array | null> {
  if (isFullSha(sha)) {
    const found = await objectsOf(gitDir).read(sha);
    return found?.type === "blob" ? found.bytes : null;
  }
  if (!/^[0-9a-f]{4,40}$/.test(sha)) return null;
  const { code, bytes } = await runGit(gitDir, ["cat-file", "blob", sha], { codes: [0, 128] });
  return code === 0 ? bytes : null;
}
