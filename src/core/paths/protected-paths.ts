import { isAgentConfigName } from "./agent-config.ts";
import { foldPath, isShortNameOf } from "./fold-path.ts";
import { WATCHED, type WatchedClass } from "./watched-paths.ts";

/**
 * What no agent may change: what decides over reviews and pipelines, what runs by itself on people's machines, what
 * configures the next agent, and secrets (T8, T15, T45).
 *
 * `alsoProtected`: further paths of this run, files or folders, such as the plan.
 */
export function isProtectedPath(path: string, alsoProtected: readonly string[] = []): boolean {
  const folded = foldPath(path);
  return (
    alsoProtected.some((other) => isAtOrBelow(folded, foldPath(other))) ||
    folded.split("/").some(isAgentConfigName) ||
    REFUSED.some((one) => one.covers(folded))
  );
}

/** Why people should look at a change of this path, as it follows "it" in a sentence; null when nothing is special. */
export function flagOf(path: string): string | null {
  const folded = foldPath(path);
  return FLAGGED.find((one) => one.covers(folded))?.why ?? null;
}

/** The folder of packages that a path lies in: one finding speaks for all that is in it. */
export function packagesFolder(path: string): string | null {
  const names = path.split("/");
  const at = foldPath(path).split("/").indexOf("node_modules");
  return at < 0 ? null : names.slice(0, at + 1).join("/");
}

type Rule = { readonly why: string; covers(folded: string): boolean };

const REFUSED = WATCHED.filter(({ verdict }) => verdict === "refuse").map(compile);
const FLAGGED = WATCHED.filter(({ verdict }) => verdict === "flag").map(compile);

function compile({ why, anywhere = [], atRoot = [], files = [] }: WatchedClass): Rule {
  const last = toPattern(files, "$");
  const rooted = toPattern(atRoot, "(?:/|$)");
  const named = toPattern(anywhere, "$");
  return {
    why,
    covers(folded) {
      const names = folded.split("/");
      const [first = ""] = names;
      return (
        rooted.test(folded) ||
        last.test(names.at(-1) ?? "") ||
        names.some((name) => named.test(name)) ||
        names.some((name) => name.includes("~") && anywhere.some((other) => isShortNameOf(name, other))) ||
        (first.includes("~") && atRoot.some((other) => isShortNameOf(first, other)))
      );
    },
  };
}

function toPattern(texts: readonly string[], end: string): RegExp {
  const escaped = texts.map((text) =>
    text
      .split("*")
      .map((part) => part.replace(/[.\\+^$()[\]{}|?]/g, "\\$&"))
      .join("[^/]*"),
  );
  // Of no text at all, nothing is meant.
  return escaped.length === 0 ? /^\b$/ : new RegExp(`^(?:${escaped.join("|")})${end}`);
}

function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
