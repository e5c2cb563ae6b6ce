/**
 * Flags in the one form in which they are compared. Letters that are run together come apart, and names that mean the
 * same become one, where the shipped rules or likely ones depend on it.
 */

/** By program, or by program and subcommand: what a letter or a long name stands for. */
const SAME: ReadonlyMap<string, Names> = new Map([
  ["rm", names("R=r recursive=r force=f")],
  ["chmod", names("recursive=R")],
  ["chown", names("recursive=R")],
  ["chgrp", names("recursive=R")],
  ["git branch", names("D=df M=mf C=cf delete=d move=m copy=c force=f")],
  ["git checkout", names("force=f")],
  ["git clean", names("force=f")],
  ["git switch", names("force=f discard-changes=f")],
  ["git tag", names("delete=d force=f")],
]);

type Names = ReadonlyMap<string, readonly string[]>;

function names(written: string): Names {
  return new Map(
    written.split(" ").map((pair): [string, string[]] => {
      const [name = "", letters = ""] = pair.split("=");
      return [name, Array.from(letters)];
    }),
  );
}

/** These write whole words behind one dash. */
const ONE_DASH = new Set(["find", "go", "java", "openssl", "terraform"]);

export function canonicalFlags(program: string, subcommand: string | undefined, flag: string): string[] {
  if (flag === "--") return ["--"];
  const same = namesFor(program, subcommand);
  const known = (name: string): readonly string[] => same.get(name) ?? [name];
  if (flag.startsWith("--")) return [...known(flag.slice(2).split("=", 1)[0] ?? "")];
  if (ONE_DASH.has(program)) return [flag.slice(1)];
  return Array.from(flag.slice(1)).flatMap(known);
}

/** The long names of a flag that is given in its one form. */
export function longNamesOf(program: string, subcommand: string | undefined, flag: string): string[] {
  const same = namesFor(program, subcommand);
  const others = [...same.keys()].filter((name) => name.length > 1 && same.get(name)?.includes(flag));
  return flag.length > 1 ? [flag, ...others] : others;
}

const NONE: Names = new Map();

function namesFor(program: string, subcommand: string | undefined): Names {
  return SAME.get(`${program} ${subcommand}`) ?? SAME.get(program) ?? NONE;
}
