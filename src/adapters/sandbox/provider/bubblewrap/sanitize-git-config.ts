import { table } from "../../../../core/table.ts";

const KEPT: Readonly<Record<string, ReadonlySet<string>>> = table({
  core: new Set([
    "repositoryformatversion",
    "filemode",
    "bare",
    "symlinks",
    "ignorecase",
    "precomposeunicode",
    "autocrlf",
    "eol",
    "safecrlf",
    "quotepath",
    "abbrev",
  ]),
  extensions: new Set(["objectformat", "refstorage", "worktreeconfig", "partialclone", "noop", "noop-v1"]),
});

/**
 * The settings without which git can't read a repository, and no other. Whatever is written in a way that this does not
 * understand is left out; so at worst a setting is missing, and never one there that should not be.
 */
export function sanitizeGitConfig(text: string): string {
  const lines: string[] = [];
  let section = "";
  let written = "";
  for (const line of text.split(/\r?\n/)) {
    const header = /^\s*\[\s*([a-z]+)\s*\]/i.exec(line);
    if (header || /^\s*\[/.test(line)) section = header?.[1]?.toLowerCase() ?? "";
    const body = header ? line.slice(header[0].length) : line;
    const [, name, value] = /^\s*([a-z][a-z0-9-]*)\s*=\s*([a-z0-9]{1,40})\s*$/i.exec(body) ?? [];
    if (name === undefined || value === undefined || !KEPT[section]?.has(name.toLowerCase())) continue;
    if (written !== section) lines.push(`[${section}]`);
    written = section;
    lines.push(`\t${name} = ${value}`);
  }
  return lines.map((line) => `${line}\n`).join("");
}
