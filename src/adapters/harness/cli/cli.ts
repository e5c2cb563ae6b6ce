import type { Judge } from "../../../core/policy/judgement.ts";
import type { AgentFailure } from "../../../core/session/agent-failure.ts";
import type { HarnessEvent, SessionSpec } from "../../../ports/harness.ts";
import type { ProcessExit } from "../../../ports/process-supervisor.ts";
import type { ModelEndpoint, Sandbox, Traffic } from "../../../ports/sandbox.ts";
import type { Environment } from "../agent-environment.ts";
import type { Line } from "../read-lines.ts";

/**
 * All that Loom has to know about one agent CLI. A new one is added by writing one of these: how it is found, how it is
 * started, how its event stream reads. Everything else, sandboxes, processes and time limits, is `create-cli-harness.ts`.
 */
export type AgentCli = {
  readonly id: string;
  /** The program's name on the PATH. */
  readonly program: string;
  /** What to do when it is not there. */
  readonly install: string;
  readonly defaults: { readonly model: string | null; readonly smallModel: string | null };
  readonly keepsBudget?: boolean;
  /** Where its model is and by which key; or what is missing and what to do about it. */
  endpoint(env: Environment, model: string | null): Endpoint | MissingEndpoint;
  /** Writes the CLI's files into the sandbox's home and says how to start it. */
  launch(order: LaunchOrder): Promise<Launch>;
  /** Globs of what the CLI would run by itself from a work tree, whatever it is told: hidden in its sandbox (T8). */
  readonly hides: readonly string[];
  /** For a CLI that can't be kept from running commands in another way; it asks the session's own judge too. */
  judgeFor?(spec: SessionSpec): Judge | null;
  /** One per session. */
  createReader(order: ReaderOrder): StreamReader;
};

export type Endpoint = {
  readonly kind: "endpoint";
  /** The name of the variable that holds the key, for people. */
  readonly keyName: string;
  readonly model: Omit<ModelEndpoint, "placeholder">;
};
export type MissingEndpoint = { readonly kind: "missing"; readonly reason: string; readonly next: string };

export type LaunchOrder = {
  readonly spec: SessionSpec;
  readonly sandbox: Sandbox;
  /** The program's path. */
  readonly bin: string;
  readonly model: string | null;
  /** Of LOOM_<ID>_ARGS. */
  readonly extraArgs: readonly string[];
  /** `sandbox.modelUrl`, which always is there. */
  readonly modelUrl: string;
  /** Takes the key's place inside. */
  readonly placeholder: string;
  readonly env: Environment;
};

export type Launch = {
  readonly argv: readonly [string, ...string[]];
  /** On top of the sandbox's own. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
};

export type ReaderOrder = {
  readonly spec: SessionSpec;
  readonly model: string | null;
  readonly env: Environment;
  /** The home of the sandbox, for what a CLI only writes to files. */
  readonly home: string;
};

/** Reads with patience: whatever it can't make sense of is output for the log. It never throws. */
export type StreamReader = {
  read(line: Line): readonly HarnessEvent[];
  /** What the CLI only writes to files; asked after each line and once at the end. */
  look?(): Promise<readonly HarnessEvent[]>;
  /** How the session ended, by what the stream said; `traffic` is what its model answered, in order. */
  conclude(exit: ProcessExit, traffic: readonly Traffic[]): Conclusion;
};

export type Conclusion = {
  readonly failure: AgentFailure | null;
  readonly text: string | null;
  readonly resume: string | null;
};
