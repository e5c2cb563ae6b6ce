const MAX_CHARS = 65_000;

/** GitHub refuses a body above 65,536 characters. Texts are cut with care before they come here; this is the last place to do it. */
export function fitBody(body: string, ending: string, maxChars = MAX_CHARS): string {
  const sandbox = maxChars - ending.length;
  if (body.length <= sandbox) return `${body.trimEnd()}${ending}`;
  const start = body.slice(0, sandbox - 40).replace(/[\ud800-\udbff]$/, "");
  return `${start}\n\n… (${body.length - start.length} more characters)${ending}`;
}
