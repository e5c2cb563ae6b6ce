import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, normalize, resolve, sep } from "node:path";
import { leadsThrough } from "./leads-through.ts";
import { realPath } from "./real-path.ts";
import { enclosingWorkTree, workTreesAround } from "./work-trees-around.ts";

/**
 * Where the programs are that Loom starts itself, outside of every sandbox (T29).
 *
 * `npx` puts `node_modules/.bin` of the repository first on PATH. An agent could add a `git` there, and once its work is
 * merged and the checkout follows, Loom would run it with the user's rights. So names are looked up here and nowhere else,
 * once per process, and never in a work tree of the repository that Loom was started in. Whatever else runs on the host
 * gets a PATH without those folders: git looks for helpers there, and the first line of a script names `env`.
 *
 * Folders in other repositories come last instead of being left out: nvm, pyenv and Homebrew are clones, and the CLIs of
 * many people lie in them.
 */
export type HostPrograms = {
  /** PATH, with the folders that are safe to look in. */
  readonly searchPath: string;
  /** A program on PATH, or the one that the operator named by its path, from where Loom was started. */
  find(name: string): ProgramSearch;
  /**
   * A small tool that every system has, also where PATH does not name its folder; null when it has not. `first`: folders
   * that come before PATH.
   */
  tool(name: string, first?: readonly string[]): string | null;
  /** Whether a file is in the hands of whoever changes the repository. */
  isInRepository(path: string): boolean;
};

export type ProgramSearch =
  | { readonly kind: "found"; readonly path: string }
  | { readonly kind: "not-found" }
  | { readonly kind: "not-executable"; readonly path: string }
  /** It is there, but where agents' work ends up. */
  | { readonly kind: "in-repository"; readonly path: string };

type Environment = Readonly<Record<string, string | undefined>>;

const SYSTEM_FOLDERS = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];

const known = new Map<string, HostPrograms>();

/** `cwd`: where Loom was started. */
export function hostPrograms(env: Environment = process.env, cwd: string = process.cwd()): HostPrograms {
  const path = env.PATH ?? "";
  const key = `${cwd}\0${path}`;
  let programs = known.get(key);
  if (!programs) {
    programs = lookAround(path, cwd);
    known.set(key, programs);
  }
  return programs;
}

function lookAround(path: string, cwd: string): HostPrograms {
  const workTrees = workTreesAround(cwd);
  const isInRepository = (file: string): boolean => leadsThrough(file, workTrees);
  const entries = path.split(delimiter).filter((entry) => isAbsolute(entry));
  const isOpen = (folder: string): boolean => !isOfPackages(folder) && !isInRepository(folder);
  const open = entries.filter(isOpen);
  const folders = [
    ...open.filter((folder) => !isInSomeRepository(folder)),
    ...open.filter((folder) => isInSomeRepository(folder)),
  ];

  const search = (name: string, places: readonly string[]): ProgramSearch => {
    let second: ProgramSearch = { kind: "not-found" };
    for (const folder of places) {
      const found = judge(join(folder, name));
      if (found.kind === "not-found") continue;
      if (isInRepository(found.path)) second = { kind: "in-repository", path: found.path };
      else if (found.kind === "found") return found;
      else if (second.kind === "not-found") second = found;
    }
    return second;
  };
  const memory = new Map<string, ProgramSearch>();
  const once = (key: string, look: () => ProgramSearch): ProgramSearch => {
    let answer = memory.get(key);
    if (!answer) {
      answer = look();
      // What is missing may be installed while Loom runs; what was found stays.
      if (answer.kind === "found") memory.set(key, answer);
    }
    return answer;
  };

  return {
    // An empty PATH would mean the current folder.
    searchPath: (folders.length > 0 ? folders : SYSTEM_FOLDERS).join(delimiter),
    isInRepository,
    find(name) {
      return once(name, () => {
        if (name.includes("/")) return judge(resolve(cwd, name));
        const found = search(name, folders);
        if (found.kind !== "not-found") return found;
        // Only to say so: a CLI among the packages of the project is the usual case.
        const passedOver = entries.find((folder) => !isOpen(folder) && isFile(join(folder, name)));
        return passedOver === undefined ? found : { kind: "in-repository", path: join(passedOver, name) };
      });
    },
    tool(name, first = []) {
      const places = [...first, ...folders, ...SYSTEM_FOLDERS];
      const found = once(`${name} of ${["the system", ...first].join(delimiter)}`, () =>
        search(name, places),
      );
      return found.kind === "found" ? found.path : null;
    },
  };
}

function judge(file: string): ProgramSearch {
  if (!isFile(file)) return { kind: "not-found" };
  return mayExecute(file) ? { kind: "found", path: file } : { kind: "not-executable", path: file };
}

/** What npm installs for a project: whoever may change the project decides what lies there, wherever it is. */
function isOfPackages(folder: string): boolean {
  return [folder, realPath(folder)].some((path) => normalize(path).split(sep).includes("node_modules"));
}

function isInSomeRepository(folder: string): boolean {
  return enclosingWorkTree(realPath(folder)) !== null;
}

/** A folder on the PATH that may not be looked into holds nothing for us. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function mayExecute(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
