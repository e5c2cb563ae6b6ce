/**
 * Names that become paths, refs and arguments. Every one of them passes through here first, so that nothing
 * that looks like an option, a path or shell code can travel further (T14).
 */

/** A repository on a forge, by the number that survives renaming: `r` and its digits. */
export type RepoId = string;
export type RunId = string;
export type StageId = string;
export type SessionId = string;
/** A full hexadecimal object name. */
export type Sha = string;
/** ISO 8601 in UTC, as it stands in files. */
export type Timestamp = string;
/** Milliseconds since the epoch, for arithmetic. */
export type Millis = number;

const ID = /^[a-z0-9][a-z0-9-]{0,62}$/;
const SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
// Windows device names cannot be folders there, and a plan travels between machines.
const RESERVED = new Set([
  "con",
  "prn",
  "aux",
  "nul",
  ...Array.from("123456789", (n) => `com${n}`),
  ...Array.from("123456789", (n) => `lpt${n}`),
]);

export function isId(text: string): boolean {
  return ID.test(text) && !RESERVED.has(text);
}

export function isRepoId(text: string): boolean {
  return /^r[1-9][0-9]{0,18}$/.test(text);
}

export function repoId(id: number): RepoId {
  return `r${id}`;
}

export function isSha(text: string): boolean {
  return SHA.test(text);
}

/** The nearest legal id, or null when nothing of the text can be kept. */
export function toId(text: string): string | null {
  const slug = text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|(?<!-)-+$/g, "")
    .slice(0, 63)
    .replace(/(?<!-)-+$/, "");
  return isId(slug) ? slug : null;
}

export function stageBranch(run: RunId, stage: StageId): string {
  return `loom/${run}/${stage}`;
}

/** The branch that joins several unmerged dependencies of a stage. No id holds a dot, so it can't be a stage's. */
export function stackBaseBranch(run: RunId, stage: StageId): string {
  return `loom/${run}/${stage}.base`;
}

/** The branch of the pull request that holds the plan. */
export function planBranch(run: RunId): string {
  return `loom/${run}.plan`;
}

/** The run that a branch of one of these names belongs to, if there is such a run. */
export function runOfBranch(branch: string): RunId | null {
  const run = /^loom\/([^/.]+)(?:\/[^/]+|\.plan)$/.exec(branch)?.[1];
  return run !== undefined && isId(run) ? run : null;
}
