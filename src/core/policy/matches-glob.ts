/** `*` stands for any text, `\` takes the special meaning from the next character. At worst the product of the lengths. */
export function matchesGlob(glob: string, text: string): boolean {
  if (!glob.includes("*") && !glob.includes("\\")) return glob === text;
  const parts = glob.match(/\\.|./gs) ?? [];
  let part = 0;
  let at = 0;
  let star = -1;
  let resume = 0;
  while (at < text.length) {
    const wanted = parts[part];
    if (wanted === "*") {
      star = part;
      resume = at;
      part += 1;
    } else if (wanted !== undefined && (wanted.length === 2 ? wanted.slice(1) : wanted) === text.charAt(at)) {
      part += 1;
      at += 1;
    } else if (star !== -1) {
      part = star + 1;
      resume += 1;
      at = resume;
    } else return false;
  }
  while (parts[part] === "*") part += 1;
  return part === parts.length;
}
