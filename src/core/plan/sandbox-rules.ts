import { resolveInTree } from "../paths/tree-path.ts";
import type { Plan, SandboxLimits, SandboxRules, StagePlan, StageType } from "./plan.ts";

/**
 * The rules of a plan and of one of its stages, merged. Lists are united: a stage can add to what its plan asks
 * for and forbids. Limits are the lower of the two. Nothing here switches the sandbox off or reaches what an operator
 * or the protected paths forbid; whoever approves the plan approves these rules with it.
 */
export type MergedRules = {
  /** `read`: nothing in the tree may be changed but what `writable` names. */
  readonly treeAccess: "read" | "write";
  /** Globs from the root of the tree, also plain paths, which mean the file or all of the folder. Can't be read. */
  readonly hidden: readonly string[];
  readonly readOnly: readonly string[];
  /** Exceptions from `readOnly` and `treeAccess`. */
  readonly writable: readonly string[];
  readonly network: {
    readonly agent: readonly string[];
    readonly setup: readonly string[];
    readonly checks: readonly string[];
  };
  readonly excludedCommands: readonly string[];
  readonly limits: SandboxLimits;
};

/** Where stages write down what they learned about the project. */
export const KNOWLEDGE_FILES = "doc/loom/knowledge/**";

/** The records of runs are no work of an agent's. What lies outside of the tree needs no rule: it is not there. */
const ALWAYS_READ_ONLY = [".loom/**"];

export function mergeSandboxRules(
  plan: SandboxRules,
  stage: SandboxRules,
  stageType: StageType,
): MergedRules {
  const knows = stageType === "knowledge" || stageType === "integration-verify" ? [KNOWLEDGE_FILES] : [];
  return {
    treeAccess: stageType === "knowledge" ? "read" : "write",
    hidden: unite(plan.filesystem.denyRead, stage.filesystem.denyRead),
    readOnly: unite(ALWAYS_READ_ONLY, plan.filesystem.denyWrite, stage.filesystem.denyWrite),
    writable: unite(knows, plan.filesystem.allowWrite, stage.filesystem.allowWrite),
    network: {
      agent: unite(plan.network.allowedDomains, stage.network.allowedDomains),
      setup: unite(plan.network.setup, stage.network.setup),
      checks: unite(plan.network.checks, stage.network.checks),
    },
    excludedCommands: unite(plan.excludedCommands, stage.excludedCommands),
    limits: lowerLimits(plan.limits, stage.limits),
  };
}

/** The rules for a stage of this plan. Where its tree is read-only, the files that it owns can be written. */
export function sandboxOf(
  plan: Pick<Plan, "sandbox">,
  stage: Pick<StagePlan, "sandbox" | "type" | "files" | "workingDir">,
): MergedRules {
  const merged = mergeSandboxRules(plan.sandbox, stage.sandbox, stage.type);
  if (merged.treeAccess === "write") return merged;
  const owned = stage.files.flatMap((path) => {
    const resolved = resolveInTree(stage.workingDir, path);
    return resolved.kind === "inside" ? [resolved.fromRoot.replace(/(?<!\/)\/+$/, "") || "**"] : [];
  });
  return { ...merged, writable: unite(merged.writable, owned) };
}

export function lowerLimits(one: SandboxLimits, other: SandboxLimits): SandboxLimits {
  const lower = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.min(a, b));
  return {
    processes: lower(one.processes, other.processes),
    memoryMb: lower(one.memoryMb, other.memoryMb),
    fileMb: lower(one.fileMb, other.fileMb),
    diskMb: lower(one.diskMb, other.diskMb),
  };
}

/**
 * The changed files that the rules forbid. Asked of the commit, because a sandbox can fail: with the sandbox off, or when a
 * file was not there yet when the sandbox was opened. What an agent can't read it may not change either.
 */
export function checkDenyWrite(
  files: readonly string[],
  rules: Pick<MergedRules, "treeAccess" | "hidden" | "readOnly" | "writable">,
  matches: (glob: string, path: string) => boolean,
): string[] {
  const isIn = (globs: readonly string[], path: string): boolean =>
    globs.some((glob) => matches(glob, path) || path.startsWith(`${glob}/`));
  return files.filter((path) => {
    if (isHiddenPath(path, rules.hidden, matches)) return true;
    const isClosed = rules.treeAccess === "read" || isIn(rules.readOnly, path);
    return isClosed && !isIn(rules.writable, path);
  });
}

/** A glob that names a folder means all that is in it. */
export function isHiddenPath(
  path: string,
  hidden: readonly string[],
  matches: (glob: string, path: string) => boolean,
): boolean {
  const names = path.split("/");
  const paths = names.map((_, at) => names.slice(0, at + 1).join("/"));
  return hidden.some((glob) => {
    const clean = glob.replace(/^(?:\.?\/)+/, "").replace(/(?<!\/)\/+$/, "");
    const folder = clean.replace(/\/\*\*$/, "");
    return paths.some((one) => matches(clean, one) || (folder !== "" && matches(folder, one)));
  });
}

function unite(...lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())];
}
