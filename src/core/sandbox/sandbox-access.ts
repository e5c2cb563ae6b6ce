import { DEFAULT_NETWORK, DEFAULTS } from "../config/defaults.ts";
import { stateDirOf } from "../config/run-folder.ts";
import type { RunSettings } from "../config/run-settings.ts";
import { lowerLimits, type MergedRules } from "../plan/sandbox-rules.ts";

/** What a sandbox of the sandbox is opened with, as far as plan, stage and operator have a say in it. */
export type SandboxAccess = {
  readonly hidden: readonly string[];
  readonly readOnly: readonly string[];
  readonly writable: readonly string[];
  /** By origin: only an operator opens what is not public (T30). */
  readonly network: { readonly allow: readonly string[]; readonly allowPublic: readonly string[] };
  readonly limits: {
    readonly processes: number;
    readonly memoryBytes: number;
    readonly fileBytes: number;
    readonly diskBytes: number;
  };
};

const MEGABYTE = 1_048_576;

/**
 * The plan adds hosts to the operator's, and can only lower the operator's limits. Set-up commands fill a tree before
 * the agent comes, and checks have a checkout of their own that is thrown away: a read-only tree is for agents.
 */
export function sandboxAccess(
  rules: MergedRules,
  settings: Pick<RunSettings, "network" | "repositoryNetwork" | "limits" | "stateDir">,
  by: "agent" | "setup" | "checks",
): SandboxAccess {
  const network = settings.network ?? DEFAULT_NETWORK;
  const repository = settings.repositoryNetwork;
  const most = settings.limits ?? DEFAULTS.limits;
  const limits = lowerLimits(most, rules.limits);
  const records = `${stateDirOf(settings)}/**`;
  return {
    hidden: rules.hidden,
    readOnly:
      by === "agent" && rules.treeAccess === "read"
        ? ["**"]
        : by === "checks"
          ? []
          : [...new Set([...rules.readOnly, records])],
    writable: rules.writable,
    network: {
      allow: repository === undefined ? [] : [...network[by]],
      allowPublic: [
        ...new Set([
          ...(repository === undefined ? network[by] : []),
          ...(repository?.[by] ?? []),
          ...rules.network[by],
        ]),
      ],
    },
    limits: {
      processes: limits.processes ?? most.processes,
      memoryBytes: (limits.memoryMb ?? most.memoryMb) * MEGABYTE,
      fileBytes: (limits.fileMb ?? most.fileMb) * MEGABYTE,
      diskBytes: (limits.diskMb ?? most.diskMb) * MEGABYTE,
    },
  };
}

/** What set-up may reach on content that agents changed: nothing, unless an operator lets it (T34). */
export function changedSetUpNetwork(
  rules: MergedRules,
  settings: Parameters<typeof sandboxAccess>[1] & Pick<RunSettings, "setupNetwork">,
): SandboxAccess["network"] {
  return settings.setupNetwork === "commit"
    ? sandboxAccess(rules, settings, "setup").network
    : { allow: [], allowPublic: [] };
}
