/** How a secret may be written without anybody having to know a key to read it. */

/** To be found letter by letter. */
export function encodedForms(value: string): string[] {
  const address = asAddress(value);
  return [
    value,
    address,
    address.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    address.replaceAll("%20", "+"),
    JSON.stringify(value).slice(1, -1),
    reversed(value),
    ...base64Forms(value).flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]),
  ];
}

/** A secret of more letters is a document, and nobody spells those. */
const LONGEST_SPELLED = 400;

/** To be found in a text of which nothing but letters and digits is left, all of them small. */
export function squeezedForms(value: string): string[] {
  const bytes = [...new TextEncoder().encode(value)];
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0"));
  const forms = [value, JSON.stringify(value), asAddress(value), hex.join(""), ...base64Forms(value)];
  const spelled = value.length > LONGEST_SPELLED ? [] : spelledForms(value, bytes, hex);
  return [...forms, ...spelled].map((form) => form.replace(/[^A-Za-z0-9]+/g, "").toLowerCase());
}

/** Backwards, and by its numbers: \x41\x42, 0x41 0x42, \u0041\u0042, &#x41;&#x42;, &#65;&#66;, lists and bits. */
function spelledForms(value: string, bytes: readonly number[], hex: readonly string[]): string[] {
  const units = Array.from({ length: value.length }, (_, at) => value.charCodeAt(at));
  return [
    reversed(value),
    ...base64Forms(reversed(value)),
    ...base64Forms(value).flatMap(base64Forms),
    ...[true, false].flatMap((isLittle) => base64Of(utf16(units, isLittle))),
    ...base32Of(bytes),
    [...hex].reverse().join(""),
    hex.map((pair) => `x${pair}`).join(""),
    hex.map((pair) => `0x${pair}`).join(""),
    units.map((unit) => `u${unit.toString(16).padStart(4, "0")}`).join(""),
    bytes.join(""),
    bytes.map((byte) => byte.toString(8).padStart(3, "0")).join(""),
    bytes.map((byte) => byte.toString(2).padStart(8, "0")).join(""),
  ];
}

function reversed(text: string): string {
  return [...text].reverse().join("");
}

/** Half of a pair of surrogates is no text that an address could hold. */
function asAddress(value: string): string {
  return encodeURIComponent(value.replace(/\p{Surrogate}/gu, "\ufffd"));
}

function base64Forms(value: string): string[] {
  return base64Of([...new TextEncoder().encode(value)]);
}

/** As PowerShell encodes commands, and in the other order. */
function utf16(units: readonly number[], isLittle: boolean): number[] {
  return units.flatMap((unit) => (isLittle ? [unit & 255, unit >> 8] : [unit >> 8, unit & 255]));
}

/** Depending on what stands before it, a text has three forms in base64; the first and last letters depend on neighbours. */
function base64Of(bytes: readonly number[]): string[] {
  return [0, 1, 2].map((shift) => {
    const padded = [...Array<number>(shift).fill(0), ...bytes];
    const text = btoa(padded.map((byte) => String.fromCharCode(byte)).join("")).replace(/(?<!=)=+$/, "");
    const first = shift === 0 ? 0 : shift + 1;
    const whole = Math.floor(((shift + bytes.length) * 8) / 6);
    return text.slice(first, whole);
  });
}

/** The same, with five forms. */
function base32Of(bytes: readonly number[]): string[] {
  const bits = bytes.map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return [0, 1, 2, 3, 4].map((shift) => {
    // The first letter that holds nothing of what stands before.
    const first = (5 - ((shift * 8) % 5)) % 5;
    const letters = bits.slice(first).match(/[01]{5}/g) ?? [];
    return letters
      .map((letter) => "abcdefghijklmnopqrstuvwxyz234567".charAt(Number.parseInt(letter, 2)))
      .join("");
  });
}
