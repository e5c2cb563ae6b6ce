/** What the attacking program is told, as JSON on its standard input. It knows no secret: others search what it brings. */
export type DrillTask = {
  /** A program outside; its command line holds the mark. */
  readonly victim: { readonly pid: number; readonly mark: string };
  /** Connected to as they stand. */
  readonly tcp: readonly { readonly host: string; readonly port: number }[];
  readonly udp: number | null;
  readonly sockets: readonly string[];
  /** Asked of the gateway, as `host:port`. */
  readonly through: readonly string[];
  /** Files that must not be readable. */
  readonly read: readonly string[];
  /** Files that must not come to be; whether they did is looked at outside. */
  readonly write: readonly string[];
  /** Put into the tree, for those who come after. */
  readonly plants: readonly Plant[];
  /** Left behind in the home and in temporary folders; empty: nothing is. */
  readonly trace: string;
  readonly model: readonly ModelAttempt[];
};

/** A file of the tree, or a link when `to` is given. */
export type Plant = { readonly path: string } & (
  | { readonly text: string; readonly runs?: boolean }
  | { readonly to: string }
);

export type ModelAttempt = {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** What the program brings back: for each thing that it tried, what it got; nothing where the defence held. */
export type DrillLoot = {
  /** That the program can read, connect and list at all: whoever gets nothing because nothing works has shown nothing. */
  readonly works: boolean;
  readonly namespaces: Readonly<Record<string, string>>;
  /** Environments and command lines of all processes that it saw. */
  readonly dump: string;
  readonly victim: readonly string[];
  readonly relay: readonly string[];
  readonly kernel: readonly string[];
  readonly descriptors: readonly string[];
  readonly sockets: readonly string[];
  /** By `host:port`, the status that the gateway answered. */
  readonly through: Readonly<Record<string, number>>;
  readonly read: readonly string[];
  /** By name, the status of the answer and its text. */
  readonly model: Readonly<Record<string, { readonly status: number; readonly text: string }>>;
};

/** What the program exits with, whatever it tries to make Loom believe. */
export const DRILL_EXIT = 7;
