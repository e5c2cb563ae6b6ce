/** The two names by which a process is known as Loom's, put into the environment of everything it starts. */
export const MARKER_VARIABLE = "LOOM_MARKER";
export const OWNER_VARIABLE = "LOOM_OWNER";

/** One living process. Zombies and threads of the kernel are left out. */
export type ProcessEntry = {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Where the system does not tell, the group again. */
  readonly session: number;
  /** In units of the reader; with the pid it names one process for good, while a pid alone may be used again. */
  readonly started: number;
  readonly marker: string | null;
  readonly owner: string | null;
  /** It is just replacing its program, so that its environment can't be read for a moment. */
  readonly unsettled: boolean;
};

export interface ProcessReader {
  /**
   * Every living process that may have been started by this Loom process. `everything` adds the older ones, which
   * matter when a Loom that died left some behind.
   */
  read(options: { readonly everything: boolean }): Promise<ProcessEntry[]>;
  /** When a child that was just spawned came to life; null when it can't be told. */
  startOf(pid: number): number | null;
  /** How often a look at all processes is cheap enough. */
  readonly sweepMs: number;
}
