import { followLinks, type Links } from "../paths/links.ts";

/**
 * Globs, and besides them what they mean when links are followed: with a link `current` to `conf`, the rule
 * `current/key.txt` is about `conf/key.txt`, since that is the file. `links` are those of a commit that the agent had no
 * hand in: it can turn a link of its own tree around. A link that leads outside leads nowhere in a sandbox.
 */
export function throughLinks(
  globs: readonly string[],
  links: Links,
  matches: (glob: string, path: string) => boolean,
): string[] {
  const all = new Set(globs);
  const targets = [...links.keys()].flatMap((link) => {
    const end = followLinks(link, links);
    return end.kind === "inside" ? [{ link, target: end.path }] : [];
  });
  // What is added is gone through as well. It ends: each is one of the targets with one of the endings.
  for (const glob of all) {
    for (const { link, target } of targets) {
      for (const rest of restsBehind(glob, link, matches))
        all.add([target, ...rest].filter((name) => name !== "").join("/") || "**");
    }
  }
  return [...all];
}

/** What a glob asks for below a link that its beginning matches. */
function restsBehind(
  glob: string,
  link: string,
  matches: (glob: string, path: string) => boolean,
): string[][] {
  const names = glob
    .replace(/^(?:\.?\/)+/, "")
    .split("/")
    .filter((name) => name !== "");
  // A brace may reach across folders, so what it begins can't be cut.
  const brace = names.findIndex((name) => name.includes("{"));
  return names.flatMap((name, at) => {
    const isCut = brace !== -1 && brace <= at && at < names.length - 1;
    // Links below `**` are not followed: one in a hidden folder may lead to all of the sources.
    if (isCut || name === "**" || !matches(names.slice(0, at + 1).join("/"), link)) return [];
    return [names.slice(at + 1)];
  });
}
