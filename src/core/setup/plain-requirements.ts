/**
 * The requirements of a Python project that can be downloaded as wheels. Everything else in such files makes pip run
 * something or look elsewhere: `-e .`, paths, addresses, `--no-binary`, `--index-url`.
 */
export function plainRequirements(text: string): string {
  const lines = text.replaceAll(/\\\r?\n/g, " ").split(/\r?\n/);
  return lines.map((line) => plainRequirement(line)).join("");
}

/** What building needs, what the project needs, and what its extras need, from `pyproject.toml`. */
export function requirementsOfProject(text: string): string {
  const lists: string[] = [];
  let section = "";
  let saysWhatBuilds = false;
  let open: string | null = null;
  for (const line of text.split(/\r?\n/)) {
    if (open === null) {
      const header = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/.exec(line);
      if (header?.[1] !== undefined) section = header[1].replaceAll(/[\s"']/g, "");
      saysWhatBuilds ||= section === "build-system";
      const list = header ? null : /^\s*([\w-]+)\s*=\s*\[(.*)$/.exec(line);
      if (list?.[1] === undefined || list[2] === undefined || !holdsRequirements(section, list[1])) continue;
      open = list[2];
    } else open += `\n${line}`;
    if (!endsList(open)) continue;
    lists.push(open);
    open = null;
  }
  const texts = lists.flatMap((list) =>
    Array.from(list.matchAll(/"([^"\n]*)"|'([^'\n]*)'/g), (one) => one[1] ?? one[2] ?? ""),
  );
  // Where a project does not say what builds it, this does.
  const builders = saysWhatBuilds ? [] : ["setuptools", "wheel"];
  return [...builders, ...texts].map((one) => plainRequirement(one)).join("");
}

function holdsRequirements(section: string, key: string): boolean {
  if (section === "build-system") return key === "requires";
  if (section === "project") return key === "dependencies";
  return section === "project.optional-dependencies" || section === "dependency-groups";
}

/** A bracket in a text, as in `"x[extra]"`, does not end it. */
function endsList(list: string): boolean {
  return list
    .replaceAll(/"[^"\n]*"|'[^'\n]*'/g, "")
    .replaceAll(/#[^\n]*/g, "")
    .includes("]");
}

const LONGEST = 500;
const NAME = /^[a-z0-9][a-z0-9._-]*$/i;
const EXTRAS = /^[a-z0-9._,\s-]*$/i;
const VERSION = /^\s*(?:[<>=!~]{1,3})\s*[\w.*+!-]+\s*$/;
const MARKER = /^[\w\s.'"<>=!~()+-]*$/;

function plainRequirement(line: string): string {
  const [written = ""] = line.split(/(?:^|\s)(?:#|--hash)/, 1);
  const text = written.trim();
  if (text.length > LONGEST) return "";
  const [what = "", marker = "", ...more] = text.split(";");
  const parts = /^([^\s[<>=!~(,]+)\s*(?:\[([^\]]*)\])?(.*)$/.exec(what.trim());
  const [, name = "", extras = "", versions = ""] = parts ?? [];
  const isPlain =
    more.length === 0 &&
    NAME.test(name) &&
    EXTRAS.test(extras) &&
    MARKER.test(marker) &&
    (versions.trim() === "" || versions.split(",").every((one) => VERSION.test(one)));
  return isPlain ? `${text}\n` : "";
}
