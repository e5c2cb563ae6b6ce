import { foldPath } from "../paths/fold-path.ts";
import { isProtectedPath } from "../paths/protected-paths.ts";
import { resolveInTree } from "../paths/tree-path.ts";
import { DEFAULTS } from "./defaults.ts";

/**
 * Where the documents of runs stand in a repository: `<state dir>/<run>/`. The state dir is `.loom` unless LOOM_STATE_DIR
 * says otherwise, and is fixed with the settings of a run. Agents may not write there.
 */
export type WithStateDir = { readonly stateDir?: string | undefined };

export function stateDirOf(settings: WithStateDir): string {
  return settings.stateDir ?? DEFAULTS.stateDir;
}

/** From the root of the repository, without a slash at its end. */
export function runFolder(settings: WithStateDir, run: string): string {
  return `${stateDirOf(settings)}/${run}`;
}

export type StateDir =
  | { readonly kind: "folder"; readonly path: string }
  /** Goes on after the value: "… leads out of the work tree". */
  | { readonly kind: "refused"; readonly reason: string };

const MAX_LENGTH = 200;

/** Names that are the same in every shell, in a glob and in Markdown; what git, pipelines or agents look at is taken. */
export function readStateDir(written: string): StateDir {
  const refused = (reason: string): StateDir => ({ kind: "refused", reason });
  const resolved = resolveInTree(".", written.trim());
  if (resolved.kind === "refused") return refused(resolved.reason);
  const path = resolved.fromRoot.replace(/(?<!\/)\/+$/, "");
  if (path === "") return refused("is the whole repository");
  if (path.length > MAX_LENGTH) return refused(`is longer than ${MAX_LENGTH} characters`);
  if (!/^[\w.@+-]+(?:\/[\w.@+-]+)*$/.test(path))
    return refused("has other characters than letters, digits, `.`, `_`, `-`, `@` and `+`");
  const folded = foldPath(path);
  if (folded.split("/").some((name) => name === ".git" || name === "")) return refused("belongs to git");
  const isOwn = folded === DEFAULTS.stateDir || folded.startsWith(`${DEFAULTS.stateDir}/`);
  if (!isOwn && isProtectedPath(path)) return refused("belongs to pipelines, reviews or agents");
  return { kind: "folder", path };
}

export function isStateDir(text: string): boolean {
  const read = readStateDir(text);
  return read.kind === "folder" && read.path === text;
}
