import type { ShellWord } from "./shell-script.ts";

const GROUP = /^([^{]*)\{([^{},]*(?:,[^{},]*)+)\}(.*)$/s;
const MAX_PIECES = 20;

/** `{rm,-rf}` is two words. One group of a few pieces is all that anybody writes; other words stay as they are. */
export function expandBraces(word: ShellWord): ShellWord[] {
  if (!word.expands || word.text.length > 1_000) return [word];
  const [, before, list, behind] = GROUP.exec(word.text) ?? [];
  const pieces = list?.split(",") ?? [];
  if (pieces.length === 0 || pieces.length > MAX_PIECES) return [word];
  return pieces
    .map((piece) => ({ ...word, text: `${before}${piece}${behind}` }))
    .filter(({ text }) => text !== "");
}
