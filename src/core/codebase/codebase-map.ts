/** What the files of one commit tell about a codebase: facts with their numbers, and no verdict. Plain data. */
export type CodebaseMap = {
  readonly signals: Signals;
  readonly architecture: {
    /** The folders at the top, those with most files first. */
    readonly outline: readonly Outline[];
    readonly entryPoints: readonly string[];
  };
  readonly stack: {
    readonly languages: readonly string[];
    readonly frameworks: readonly string[];
    readonly libraries: readonly Libraries[];
    /** What is asked for in manifests, such as `node >=20`. */
    readonly runtimes: readonly string[];
  };
  readonly conventions: {
    readonly formatters: readonly string[];
    readonly linters: readonly string[];
    readonly typeCheckers: readonly string[];
    readonly moduleSystems: readonly string[];
    readonly hooks: readonly string[];
    /** What a manifest or a make file offers to run, and what that does. */
    readonly commands: readonly { readonly run: string; readonly does: string }[];
    /** What CI runs, as written there. */
    readonly ciCommands: readonly string[];
    /** README, contribution guides, code owners, instructions for agents. */
    readonly documents: readonly string[];
  };
  /** Sentences. Names in them stand between backticks and can do nothing. */
  readonly concerns: readonly string[];
};

export type Signals = {
  readonly files: number;
  readonly folders: number;
  /** Folders around the file that lies deepest. */
  readonly depth: number;
  readonly languages: readonly Counted[];
  readonly tests: {
    readonly files: number;
    /** Of these, in a folder that holds nothing but tests; the others lie beside the code. */
    readonly inFolders: number;
    readonly runners: readonly string[];
  };
  readonly buildTools: readonly string[];
  readonly packageManagers: readonly string[];
  readonly ci: readonly string[];
  /** Folders with a manifest; more than one make a monorepo. */
  readonly packages: { readonly count: number; readonly first: readonly Package[] };
  /** By the files directly in them. */
  readonly largestFolders: readonly Counted[];
};

export type Counted = { readonly name: string; readonly files: number };
export type Outline = Counted & { readonly folders: readonly Counted[] };
export type Package = {
  /** Empty: the root. */
  readonly folder: string;
  readonly manifest: string;
  readonly name: string | null;
};
export type Libraries = {
  readonly ecosystem: string;
  readonly count: number;
  readonly names: readonly string[];
};
