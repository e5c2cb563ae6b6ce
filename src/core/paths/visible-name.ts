import { isDeceptive } from "./deceptive-name.ts";

const MOST_CHARS = 200;

/**
 * A path for people's eyes. Where a name in it holds what can't be seen, or what looks like something else, that name's
 * characters are spelled out: `p\u{430}ckage.json`.
 */
export function visiblePath(path: string): string {
  const shown = path
    .split("/")
    .map((name) => (isDeceptive(name) ? spellOut(name) : name))
    .join("/");
  const points = Array.from(shown);
  return points.length <= MOST_CHARS
    ? shown
    : `${points.slice(0, MOST_CHARS).join("")}… (${points.length - MOST_CHARS} more characters)`;
}

function spellOut(name: string): string {
  return Array.from(name)
    .map((character) => {
      const code = character.codePointAt(0) ?? 0;
      return code > 0x20 && code < 0x7f ? character : code === 0x20 ? " " : `\\u{${code.toString(16)}}`;
    })
    .join("");
}
