import type { AttackId, Outcome } from "../../core/drill/attack.ts";
import type { SettingFacts } from "../../core/drill/judge-settings.ts";
import type { Sha } from "../../core/ids.ts";
import type { SandboxAccess } from "../../core/sandbox/sandbox-access.ts";
import type { DrillGround } from "../../ports/drill-ground.ts";
import type { Patterns } from "../../ports/patterns.ts";
import type { ProcessSupervisor } from "../../ports/process-supervisor.ts";
import type { NetworkAccess, SandboxProvider } from "../../ports/sandbox.ts";
import type { Workspace } from "../../ports/workspace.ts";

/** All that attacks are played against: what this installation gives to its agents, around a repository of no worth. */
export type DrillWorld = {
  readonly sandboxes: SandboxProvider;
  /** Starts programs without isolation: the victims. */
  readonly supervisor: ProcessSupervisor;
  readonly ground: DrillGround;
  /** Of the operator's settings. */
  readonly rules: Readonly<Record<"agent" | "setup" | "checks", SandboxAccess>>;
  /** What set-up may reach on a commit of an agent's. */
  readonly changedSetUp: NetworkAccess;
  /** The decision of the gateway, without a connection. */
  readonly mayReach: (network: NetworkAccess, host: string, port: number) => Promise<boolean>;
  /** Where the store is, when there is one. */
  readonly store: { readonly host: string; readonly port: number } | null;
  readonly modelAllow: readonly string[];
  /** One that the drill made up and lets an agent write into files. */
  readonly secret: string;
  /** Values that must not be seen, by the names of their variables; among them some that the drill made up. */
  readonly secrets: readonly { readonly name: string; readonly value: string }[];
  readonly openHome: (name: string) => Promise<{ readonly path: string; remove(): Promise<void> }>;
  readonly repository: { readonly root: string; readonly gitDir: string; readonly base: Sha };
  /** As Loom opens it at its start, each time anew, with folders of the repository or of `tree` first on its PATH. */
  readonly openWorkspace: (tree: string | null) => Promise<Workspace>;
  /** Where Loom would find a program that it starts itself, with that PATH. */
  readonly findProgram: (name: string, tree: string | null) => string | null;
  readonly patterns: Patterns;
  readonly settings: SettingFacts;
  /** For so long a program that takes too much waits to be ended: a busy machine looks seldom. */
  readonly limitSecs: number;
  readonly arch: string;
  readonly newId: () => string;
  readonly signal: AbortSignal;
  readonly onPlayed: (attack: AttackId, outcome: Outcome) => void;
};
