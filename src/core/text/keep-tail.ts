/** The last `maxBytes` of a text in UTF-8, never half a character, and how many bytes were left out. */
export function keepTail(text: string, maxBytes: number): { text: string; cutBytes: number } {
  let kept = 0;
  let start = text.length;
  while (start > 0) {
    const [from, size] = characterBefore(text, start);
    if (kept + size > maxBytes) break;
    kept += size;
    start = from;
  }
  let cutBytes = 0;
  for (let end = start; end > 0; ) {
    const [from, size] = characterBefore(text, end);
    cutBytes += size;
    end = from;
  }
  return { text: text.slice(start), cutBytes };
}

function characterBefore(text: string, end: number): [from: number, bytes: number] {
  const last = text.charCodeAt(end - 1);
  const isPair =
    last >= 0xdc00 && last <= 0xdfff && end > 1 && (text.charCodeAt(end - 2) & 0xfc00) === 0xd800;
  if (isPair) return [end - 2, 4];
  return [end - 1, last < 0x80 ? 1 : last < 0x800 ? 2 : 3];
}
