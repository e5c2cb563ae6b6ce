import { foldName } from "../paths/fold-path.ts";

/**
 * New files and folders that a careless file system takes for another one of the same tree, each with that other one:
 * `Readme.md` beside `readme.md`, or a link `A` beside the folder `a`, through which a checkout would write elsewhere.
 * What the base has of such pairs is not held against a change.
 */
export function findTwins(base: Iterable<string>, after: Iterable<string>): (readonly [string, string])[] {
  const old = new Set(base);
  const paths = [...after];
  const added = paths.filter((path) => !old.has(path));
  if (added.length === 0) return [];
  const spellings = spellingsLike(added);
  const before = new Set<string>();
  for (const path of old) for (const [spelled] of spellings(path)) before.add(spelled);
  const known = new Map<string, string>();
  const fresh = new Map<string, string>();
  for (const path of paths) {
    for (const [spelled, folded] of spellings(path)) {
      if (before.has(spelled)) known.set(folded, spelled);
      else fresh.set(spelled, folded);
    }
  }
  const twins: (readonly [string, string])[] = [];
  for (const [spelled, folded] of fresh) {
    const other = known.get(folded);
    if (other === undefined) known.set(folded, spelled);
    else if (other !== spelled) twins.push([spelled, other]);
  }
  return twins;
}

type Spelling = readonly [spelled: string, folded: string];
type Branch = Map<string, Branch>;

/**
 * A path and the folders above it, as written and as compared, as far as one of the wanted paths might be taken for it. A
 * repository has thousands of paths and a change a few, so most of them end at their first name.
 */
function spellingsLike(wanted: readonly string[]): (path: string) => readonly Spelling[] {
  const folds = new Map<string, string>();
  const fold = (name: string): string => {
    const folded = folds.get(name) ?? foldName(name);
    folds.set(name, folded);
    return folded;
  };
  const root: Branch = new Map();
  for (const path of wanted) {
    let branch = root;
    for (const name of path.split("/")) {
      const next: Branch = branch.get(fold(name)) ?? new Map();
      branch.set(fold(name), next);
      branch = next;
    }
  }
  return (path) => {
    const found: Spelling[] = [];
    let branch = root;
    let folded = "";
    for (let start = 0; start <= path.length; ) {
      const slash = path.indexOf("/", start);
      const end = slash === -1 ? path.length : slash;
      const name = fold(path.slice(start, end));
      const next = branch.get(name);
      if (next === undefined) break;
      folded = `${folded}/${name}`;
      found.push([path.slice(0, end), folded]);
      branch = next;
      start = end + 1;
    }
    return found;
  };
}
