import { table } from "../../table.ts";

const ESCAPE = /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.)|(.))/gs;

const LETTERS: Readonly<Record<string, string>> = table({
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
});

/** The inside of `$'…'`, which can spell any character by its number. */
export function decodeAnsiQuote(text: string): string {
  return text.replace(ESCAPE, (whole, byte, short, long, octal, control, letter) => {
    const digits: string | undefined = byte ?? short ?? long;
    if (digits !== undefined) return character(Number.parseInt(digits, 16));
    if (octal !== undefined) return character(Number.parseInt(octal, 8) & 0xff);
    if (control !== undefined) return character(String(control).charCodeAt(0) & 0x1f);
    return LETTERS[String(letter)] ?? (/[\\'"?]/.test(String(letter)) ? String(letter) : String(whole));
  });
}

/** A zero ends the text in most shells; what stands behind it is shown all the same. */
function character(code: number): string {
  return code === 0 || code > 0x10ffff ? "" : String.fromCodePoint(code);
}
