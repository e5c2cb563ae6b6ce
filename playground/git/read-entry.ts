import type { GitEntry } from "../model/model-git.ts";
import { resolveRevision } from "./resolve-revision.ts";
import { gitFields, runGit } from "./run-git.ts";

type Line = {
  readonly kind: "file" | "symlink" | "submodule" | "folder";
  readonly mode: string;
  readonly sha: string;
  readonly size: number;
  readonly path: string;
};

/** What stands at a path, see `ModelGit.entry`. */
export async function readEntry(gitDir: string, revision: string, path: string): Promise<GitEntry | null> {
  const commit = await resolveRevision(gitDir, revision);
  if (commit === null) return null;
  const wanted = path.replace(/^\/+|(?<!\/)\/+$/g, "");
  if (wanted === "") return await readFolder(gitDir, `${commit}^{tree}`, "");
  if (wanted.split("/").some((part) => part === "" || part === "." || part === "..")) return null;
  const [line] = await listTree(gitDir, commit, [wanted]);
  if (line === undefined) return null;
  if (line.kind === "folder") return await readFolder(gitDir, line.sha, wanted);
  if (line.kind === "submodule") return { kind: "submodule", path: wanted, sha: line.sha };
  return { kind: line.kind, path: wanted, sha: line.sha, size: line.size, mode: line.mode };
}

async function readFolder(gitDir: string, tree: string, path: string): Promise<GitEntry> {
  const [sha = ""] = (await runGit(gitDir, ["rev-parse", "--verify", tree])).stdout.split("\n");
  const lines = await listTree(gitDir, sha, []);
  const entries = lines.map((line) => ({
    ...line,
    name: line.path,
    path: path === "" ? line.path : `${path}/${line.path}`,
  }));
  return { kind: "folder", path, sha, entries };
}

async function listTree(gitDir: string, tree: string, paths: readonly string[]): Promise<Line[]> {
  const fields = await gitFields(gitDir, [
    ...["--literal-pathspecs", "ls-tree", "-z", "--long", "--full-tree", "--", tree, ...paths],
  ]);
  return fields.map((field) => {
    const tab = field.indexOf("\t");
    const [mode = "", type = "", sha = "", size = "-"] = field.slice(0, tab).split(/ +/);
    return {
      kind: kindOf(mode, type),
      mode,
      sha,
      size: size === "-" ? 0 : Number(size),
      path: field.slice(tab + 1),
    };
  });
}

function kindOf(mode: string, type: string): Line["kind"] {
  if (type === "tree") return "folder";
  if (type === "commit") return "submodule";
  return mode === "120000" ? "symlink" : "file";
}

export async function readBlob(gitDir: string, sha: string): Promise<Uint8Array | null> {
  if (!/^[0-9a-f]{4,40}$/.test(sha)) return null;
  const { code, bytes } = await runGit(gitDir, ["cat-file", "blob", sha], { codes: [0, 128] });
  return code === 0 ? bytes : null;
}
