import { foldName } from "./fold-path.ts";

/**
 * New files and folders that a careless file system takes for another one of the same tree, each with that other one:
 * `Readme.md` beside `readme.md`, or a link `A` beside the folder `a`, through which a checkout would write elsewhere.
 * What the base has of such pairs is not held against a change.
 */
export function findTwins(base: Iterable<string>, after: Iterable<string>): (readonly [string, string])[] {
  const before = new Set<string>();
  for (const path of base) for (const [spelled] of spellings(path)) before.add(spelled);
  const known = new Map<string, string>();
  const fresh = new Map<string, string>();
  for (const path of after) {
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

/** A path and every folder above it, as written and as compared. */
function* spellings(path: string): Iterable<readonly [string, string]> {
  let spelled = "";
  let folded = "";
  for (const name of path.split("/")) {
    spelled = spelled === "" ? name : `${spelled}/${name}`;
    folded = `${folded}/${foldName(name)}`;
    yield [spelled, folded];
  }
}
