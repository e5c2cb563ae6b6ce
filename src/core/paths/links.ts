import { foldName, foldPath } from "./fold-path.ts";

/** Symbolic links of a tree: where each stands and what it says. */
export type Links = ReadonlyMap<string, string>;

export type LinkEnd = { readonly kind: "inside"; readonly path: string } | { readonly kind: "outside" };

const MAX_HOPS = 40;

/**
 * Where a path leads when every link on the way is followed, as an operating system would. Decided from the tree alone,
 * so that no link is ever followed on disk (T16). Going round in circles counts as outside: nothing can be read there.
 * A name that only differs in its case, or in what some file systems drop, is the link as well: there it leads the same way.
 */
export function followLinks(path: string, links: Links): LinkEnd {
  const ahead = path.split("/").reverse();
  const folded = foldedLinks(links);
  let hops = 0;
  const here: string[] = [];
  while (ahead.length > 0) {
    const name = ahead.pop() ?? "";
    if (name === "" || name === ".") continue;
    if (name === "..") {
      if (here.pop() === undefined) return { kind: "outside" };
      continue;
    }
    here.push(name);
    const at = here.join("/");
    const target = links.get(at) ?? (folded.size > 0 ? folded.get(foldPath(at)) : undefined);
    if (target === undefined) continue;
    hops += 1;
    if (hops > MAX_HOPS || isAbsolute(target)) return { kind: "outside" };
    here.pop();
    ahead.push(...target.split("/").reverse());
  }
  // The git directory lies inside the folder but is no part of the tree.
  return here.some((name) => foldName(name) === ".git")
    ? { kind: "outside" }
    : { kind: "inside", path: here.join("/") };
}

/** Links that lead outside. */
export function escapingLinks(links: Links): Set<string> {
  return new Set([...links.keys()].filter((path) => followLinks(path, links).kind === "outside"));
}

/** All links of a tree are followed, one by one; their names are folded once. */
const FOLDED = new WeakMap<Links, Links>();

function foldedLinks(links: Links): Links {
  const known = FOLDED.get(links);
  if (known) return known;
  const folded = new Map([...links].map(([path, target]) => [foldPath(path), target]));
  FOLDED.set(links, folded);
  return folded;
}

function isAbsolute(target: string): boolean {
  return target.startsWith("/") || target.includes("\\") || /^[a-z]:/i.test(target);
}
