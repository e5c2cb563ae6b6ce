/** What a colour means here; the terminal's own palette says how it looks. */
export type Tone =
  | "plain"
  | "strong"
  | "busy"
  | "good"
  | "bad"
  | "faded-bad"
  | "warning"
  | "queued"
  | "quiet";

const CODES: Readonly<Record<Tone, string>> = {
  plain: "",
  strong: "1",
  busy: "34",
  good: "32",
  bad: "31",
  "faded-bad": "2;31",
  warning: "33",
  queued: "36",
  quiet: "90",
};

/** Colours text that is already escaped, cut and filled: the codes have no width but count as characters. */
export function paint(text: string, tone: Tone, color: boolean): string {
  const code = CODES[tone];
  return color && code !== "" && text.trim() !== "" ? `\u001b[${code}m${text}\u001b[0m` : text;
}
