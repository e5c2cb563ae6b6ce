/**
 * Starts programs that are not trusted. All that one session starts, children that moved to a session of their own
 * included, carries the session's marker in its environment and ends with it.
 */
export interface ProcessSupervisor {
  spawn(spec: ProcessSpec): ConfinedProcess;
  /** Ends whatever still carries the marker, from this process or one that died. Resolves with how many there were. */
  reap(marker: string): Promise<number>;
  /** Reaps everything this Loom process started; called once at the end. */
  close(): Promise<void>;
}

export type ProcessSpec = {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment of the program, the marker excepted. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  readonly marker: string;
};

export type ConfinedProcess = {
  readonly pid: number | null;
  /** Chunks in order of arrival; ends when the program has ended and its output is read. */
  readonly output: AsyncIterable<OutputChunk>;
  readonly exit: Promise<ProcessExit>;
  /** Asks kindly, then ends everything with the marker. Resolves when all of it is gone. */
  stop(graceMs: number): Promise<void>;
};

export type OutputChunk = { readonly stream: "stdout" | "stderr"; readonly data: Buffer };

export type ProcessExit =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signalled"; readonly signal: string }
  | { readonly kind: "not-started"; readonly reason: string };
