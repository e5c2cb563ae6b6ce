/** What a manifest tells. Names have passed `nameOrNull`, so that a text that is none reaches nobody as one. */
export type Manifest = {
  readonly ecosystem: string;
  readonly name: string | null;
  readonly libraries: readonly string[];
  /** Needed for building and testing only. */
  readonly tools: readonly string[];
  /** Such as `node >=20`. */
  readonly runtime: string | null;
  readonly moduleSystem: string | null;
  readonly commands: readonly { readonly name: string; readonly does: string }[];
  /** Why it can't be read, in words. */
  readonly broken: string | null;
};

const NAME = /^[@A-Za-z0-9_](?:[\w.@/:+-]{0,98}\w)?$/;
const VERSION = /^[\w.<>=^~|*, +-]{1,40}$/;
const MOST_NAMES = 2_000;

export function manifest(ecosystem: string, told: Partial<Manifest> = {}): Manifest {
  return {
    ecosystem,
    name: null,
    runtime: null,
    moduleSystem: null,
    commands: [],
    broken: null,
    ...told,
    libraries: namesOf(told.libraries ?? []),
    tools: namesOf(told.tools ?? []),
  };
}

/** The text when it can be a package's name: no spaces, no words to anybody. */
export function nameOrNull(text: unknown): string | null {
  return typeof text === "string" && NAME.test(text) ? text : null;
}

export function runtimeOf(program: string, version: unknown): string | null {
  return typeof version === "string" && VERSION.test(version) ? `${program} ${version.trim()}` : null;
}

/** The name before extras, versions and markers; empty for a comment, an option or an address. */
export function requirementName(line: string): string {
  return /^[A-Za-z0-9][A-Za-z0-9._-]*/.exec(line.trim())?.[0].toLowerCase() ?? "";
}

function namesOf(texts: readonly unknown[]): string[] {
  return [...new Set(texts.slice(0, MOST_NAMES).flatMap((text) => nameOrNull(text) ?? []))];
}
