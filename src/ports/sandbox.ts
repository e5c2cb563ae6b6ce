import type { Millis } from "../core/ids.ts";
import type { ModelApi } from "../core/model-api/model-api.ts";
import type { RefusalAt } from "../core/policy/boundaries.ts";
import type { Judge } from "../core/policy/judgement.ts";
import type { ConfinedProcess, ProcessSpec } from "./process-supervisor.ts";

/**
 * Sandboxes for programs that are not trusted: what they may see, change and reach is said once, when the sandbox is opened.
 * Where nothing can isolate them the sandbox isolates nothing, and says so.
 */
export interface SandboxProvider {
  readonly kind: SandboxKind;
  /** For `loom doctor` and the start of a run. */
  readonly report: SandboxReport;
  open(sandboxSpec: SandboxSpec): Promise<Sandbox>;
  /** Closes all sandboxes; called once at the end, after the processes are gone. */
  close(): Promise<void>;
}

export type SandboxKind = "bubblewrap" | "container" | "wrapper" | "off";

export type SandboxReport = {
  readonly detail: string;
  /** Said loudly wherever work begins; null when it isolates them. */
  readonly warning: string | null;
  readonly next: string | null;
};

export type SandboxSpec = {
  /** Carried by every process of the sandbox. */
  readonly marker: string;
  /** Stands where it stands outside. */
  readonly tree: string;
  readonly treeAccess: "write" | "read";
  /**
   * Globs from the root of the tree. What matches when the sandbox is opened can't be read, and git can't be asked: its
   * objects hold every file of every commit, and none of them could be told apart by path (T39).
   */
  readonly hidden: readonly string[];
  /** Globs. Can't be read either, but are no secret: git may still be asked. */
  readonly covered?: readonly string[];
  /** Globs; what matches can be read only. */
  readonly readOnly: readonly string[];
  /** Globs; exceptions from `readOnly` and from `treeAccess: "read"`. */
  readonly writable: readonly string[];
  /** An empty or known folder that becomes the home and outlives the sandbox; null: one that is thrown away with it. */
  readonly home: string | null;
  /** Files and folders outside of the tree that can be read, where they stand. */
  readonly shows: readonly string[];
  readonly network: NetworkAccess;
  /** How the model is reached; null: there is none to reach. */
  readonly model: ModelEndpoint | null;
  readonly judge: Judge | null;
  readonly onTraffic: ((traffic: Traffic) => void) | null;
  /** Told of all that the sandbox refuses, each time. */
  readonly onRefused?: (refusal: SandboxRefusal) => void;
  readonly limits: Limits;
};

/** Names such as `example.org`, `*.example.org`, `example.org:8443`. The sandbox's own loopback is always there. */
export type NetworkAccess = {
  /** The operator's word, which may also name what is not public. */
  readonly allow: readonly string[];
  /** The word of plans and repositories: whatever it says, it opens public addresses alone. */
  readonly allowPublic?: readonly string[];
};

/**
 * The key of a model never enters a sandbox. Programs inside get a placeholder and `Sandbox.modelUrl`; on the way out the key
 * takes the placeholder's place, in headers and in the query.
 */
export type ModelEndpoint = {
  /** Such as `https://api.example.org`; a path in it is put before the paths that are asked for. */
  readonly upstream: string;
  readonly placeholder: string;
  readonly key: string;
  /** The requests that may be sent there; each has to come with the placeholder, and with no other credential (T31). */
  readonly api: ModelApi;
  /** What the operator allows in bodies besides, as refusals name it: `field`, `tools[].type=web_search`. */
  readonly allowed?: readonly string[];
};

/** What Loom sees pass through the sandbox's endpoints. */
export type Traffic =
  /** The model answered; `retryAt` as its headers give it. `body` is the beginning of an answer that is an error. */
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly retryAt: Millis | null;
      readonly body: string | null;
    }
  | { readonly kind: "unreachable"; readonly host: string; readonly reason: string }
  /** A host that may not be reached, or a request that the model's host may not get. */
  | { readonly kind: "denied"; readonly host: string };

/** At which of the sandbox's own limits something ended, for the operator. */
export type SandboxRefusal =
  | Pick<RefusalAt<"network">, "boundary" | "rule" | "what">
  | Pick<RefusalAt<"model">, "boundary" | "rule" | "what">
  | Pick<RefusalAt<"sandbox">, "boundary" | "rule" | "what">;

export type Limits = {
  readonly processes: number;
  readonly memoryBytes: number;
  /** Of one file. */
  readonly fileBytes: number;
  /** Of all that is written in the tree, the home and the temporary folder. */
  readonly diskBytes: number;
};

export type Sandbox = {
  /** Loom may write into both from outside; inside they have the same names. */
  readonly home: string;
  readonly tmp: string;
  /** Where programs inside find the model; null without an endpoint to it. */
  readonly modelUrl: string | null;
  /** A program for hooks: it reads `{"tool":…,"command":…}` from standard input, exits 0 or, with the reason on standard error, 2. */
  readonly guard: readonly [string, ...string[]] | null;
  /** A folder with shells that ask the judge before they run a command, for programs without hooks; null without a judge. */
  readonly shells: string | null;
  /** The environment of every program in here: PATH, HOME, TMPDIR, proxies; no secret. */
  readonly env: Readonly<Record<string, string>>;
  /** `env` is what comes on top of the sandbox's own. */
  spawn(spec: SandboxProcess): ConfinedProcess;
  /** Each host that was asked for and refused, once, in order; and so requests that the model was not sent. */
  denied(): readonly string[];
  /** Which limit a program broke, in words; null when none was. */
  exceeded(): string | null;
  close(): Promise<void>;
};

export type SandboxProcess = Pick<ProcessSpec, "argv" | "cwd" | "env" | "stdin">;
