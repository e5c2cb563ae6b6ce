/**
 * Names that don't read as what they are (T45). Three kinds: what can't be seen at all is refused; what looks like other
 * letters, or means something to a shell, is taken and pointed out, since people do write names in all scripts.
 */

// Format characters hold zero-width ones, soft hyphens, tags and direction marks; the rest are letters without a shape,
// spaces that are not the plain one, characters without a meaning of their own, and selectors of variants.
const UNSEEN =
  /\p{Cf}|\p{Co}|\u034f|[\u115f\u1160\u2800\u3164\uffa0]|\u17b4|\u17b5|[\u180b-\u180f]|[\u{e0100}-\u{e01ef}]|(?! )\p{Z}/u;
// The selector that makes an emoji colourful is part of it.
const LOOSE_SELECTOR = /(?<![\p{Extended_Pictographic}\p{Emoji_Component}])[\ufe00-\ufe0f]/u;
const CONTROL = /\p{Cc}/u;

/** Does it hold characters that nobody sees? */
export function hidesCharacters(name: string): boolean {
  return UNSEEN.test(name) || LOOSE_SELECTOR.test(name);
}

/** Alphabets with letters that look like Latin ones. */
const LOOKALIKES = ["Cyrillic", "Greek", "Armenian", "Cherokee", "Coptic", "Lisu", "Georgian", "Deseret"].map(
  (script) => ({ script, letters: new RegExp(`\\p{Script=${script}}`, "u") }),
);
const LATIN = /\p{Script=Latin}/u;

/** Why a name may be taken for another one, or do something where it is used, as a part of a sentence; null when not. */
export function doubtAbout(name: string): string | null {
  const other = LATIN.test(name) ? LOOKALIKES.find(({ letters }) => letters.test(name)) : undefined;
  if (other) return `mixes Latin letters with ${other.script} ones that look alike`;
  if (name.normalize("NFKC") !== name.normalize("NFC"))
    return "holds characters that stand for plainer ones, and may be taken for them";
  if (name.startsWith("-")) return "begins with a dash, so that programs may take it for an option";
  if (/[`;|&<>"]|\$\(/.test(name)) return "holds characters that a shell would act on";
  if (/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name)) return "is the name of a device on Windows";
  return null;
}

/** For one name of a path: whether people need it spelled out. */
export function isDeceptive(name: string): boolean {
  return (
    hidesCharacters(name) ||
    CONTROL.test(name) ||
    /^ | $/.test(name) ||
    (/[^\x20-\x7e]/.test(name) && doubtAbout(name) !== null)
  );
}
