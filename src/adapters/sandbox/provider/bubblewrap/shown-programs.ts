import { realpathSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, isAbsolute, join, normalize } from "node:path";
import { UserError } from "../../../../core/errors.ts";
import { hostPrograms } from "../../../os/host-programs.ts";
import { isFolder } from "../../../os/is-folder.ts";
import { isWithin } from "../../../os/is-within.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Of the machine, beyond the system itself: where programs are that agents and checks may start. */
export type ShownPrograms = {
  /** Read-only, where they stand. */
  readonly paths: readonly string[];
  /** The PATH of sandboxes. */
  readonly searchPath: readonly string[];
  /** Something that can be seen in every sandbox. */
  covers(path: string): boolean;
};

const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt"];
const SYSTEM_PATH = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/**
 * Loom's own node, the folders of the operator's PATH, and what LOOM_SANDBOX_SHOW names. Of PATH only the folders
 * themselves: their parents are homes more often than not. Never a folder that holds a home or Loom's own files, and none
 * of the repository: a check must not run what an earlier stage put there.
 */
export function findShownPrograms(
  env: Environment,
  { folder, cwd }: { readonly folder: string; readonly cwd: string },
): ShownPrograms {
  const homes = [accountHome(), env.HOME].filter(
    (home): home is string => home !== undefined && isAbsolute(home),
  );
  const taboo = [...homes, folder, cwd];
  const isHarmless = (path: string): boolean =>
    path !== "/" && isFolder(path) && !taboo.some((one) => isWithin(one, path));

  const node = realpathSync(process.execPath);
  const prefix = dirname(dirname(node));
  const nodePaths = [isHarmless(prefix) ? prefix : isHarmless(dirname(node)) ? dirname(node) : node];
  if (dirname(process.execPath) !== dirname(node)) nodePaths.push(process.execPath);
  const ofPath = hostPrograms(env, cwd)
    .searchPath.split(":")
    .filter((path) => path !== "")
    .map((path) => (normalize(path).length > 1 ? normalize(path).replace(/(?<!\/)\/+$/, "") : "/"));

  const shown = new Set<string>();
  const covers = (path: string): boolean => [...SYSTEM, ...shown].some((one) => isWithin(path, one));
  for (const path of [...nodePaths, ...ofPath.filter(isHarmless), ...readShow(env)]) {
    if (!covers(path)) shown.add(path);
  }
  const searchPath = new Set([...ofPath.filter(covers), dirname(process.execPath), ...SYSTEM_PATH]);
  return { paths: [...shown], searchPath: [...searchPath].filter(isFolder), covers };
}

/** None for a user without an account, as containers have them. */
function accountHome(): string | undefined {
  try {
    // Not `homedir()`, which follows HOME: that one counts besides.
    return userInfo().homedir;
  } catch {
    return undefined;
  }
}

function readShow(env: Environment): string[] {
  const paths = (env.LOOM_SANDBOX_SHOW ?? "").split(":").filter((path) => path !== "");
  return paths.map((path) => {
    const clean = join(path, ".");
    const refuse = (what: string): UserError =>
      new UserError(`LOOM_SANDBOX_SHOW names ${what}`, {
        next: "LOOM_SANDBOX_SHOW takes absolute paths, with colons between them.",
        exitCode: 2,
      });
    if (!isAbsolute(path)) throw refuse(`${path}, which is no absolute path.`);
    if (clean === "/") throw refuse("/, which would show everything.");
    if (!statSync(clean, { throwIfNoEntry: false })) throw refuse(`${path}, which was not found.`);
    return clean.replace(/(?<!\/)\/+$/, "");
  });
}
