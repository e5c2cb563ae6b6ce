import { plainText } from "../text/escape-text.ts";

const MAX_SHOWN = 300;

/**
 * A command in one line between backticks, for a person to decide on. Where that is not all of it, the cut is counted
 * and a fingerprint of the whole stands behind, so that a yes to one command is none to another that looks alike.
 */
export function showCommand(command: string): string {
  const line = plainText(command).replaceAll("`", "'");
  const points = Array.from(line);
  const rest = points.length - MAX_SHOWN;
  const shown =
    rest > 0 ? `\`${points.slice(0, MAX_SHOWN).join("")}…\` (${rest} more characters)` : `\`${line}\``;
  return line === command.trim() && rest <= 0 ? shown : `${shown} [${fingerprint(command)}]`;
}

/** Two hashes of 32 bits; enough to tell apart what one agent asks in one stage. */
function fingerprint(text: string): string {
  let one = 0x811c9dc5;
  let other = 0x1b873593;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul((other << 5) ^ (other >>> 2) ^ code, 0x5bd1e995);
  }
  return [one, other].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}
