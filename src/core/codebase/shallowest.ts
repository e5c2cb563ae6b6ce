/** The first so many, shallow ones before deep ones. */
export function shallowest(paths: readonly string[], count: number): string[] {
  return paths
    .map((path) => ({ path, depth: depthOf(path) }))
    .sort((one, other) => one.depth - other.depth || (one.path < other.path ? -1 : 1))
    .slice(0, count)
    .map(({ path }) => path);
}

function depthOf(path: string): number {
  let depth = 0;
  for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) depth += 1;
  return depth;
}
