/**
 * Folders that git would take for a (bare) repository: git run in one of them obeys the settings that stand there, and
 * starts the programs they name (T11). Git needs a HEAD, and objects and refs or a pointer to where those are.
 */
export function embeddedRepositories(paths: Iterable<string>): string[] {
  const parts = new Map<string, Set<string>>();
  for (const path of paths) {
    const lower = path.toLowerCase();
    const names = lower.split("/");
    names.forEach((name, position) => {
      const isLast = position === names.length - 1;
      if (!(isLast ? FILES : FOLDERS).has(name)) return;
      const folder = path.split("/").slice(0, position).join("/");
      parts.set(folder, (parts.get(folder) ?? new Set()).add(name));
    });
  }
  return [...parts]
    .filter(([, has]) => has.has("head") && (has.has("commondir") || (has.has("objects") && has.has("refs"))))
    .map(([folder]) => folder);
}

const FILES = new Set(["head", "commondir"]);
const FOLDERS = new Set(["objects", "refs"]);

/** Could adding this path complete such a folder? Cheap, to spare looking at whole trees. */
export function mayEmbedRepository(path: string): boolean {
  return /(?:^|\/)(?:head$|commondir$|objects\/|refs\/)/i.test(path);
}
