import { plainText } from "../../text/escape-text.ts";
import { paint } from "../terminal/paint.ts";

/** One thing that `loom doctor` looked at. */
export type Finding = {
  readonly state: "fine" | "notice" | "wrong";
  readonly what: string;
  readonly detail: string;
  readonly next: string | null;
};

const ICONS = { fine: "✓", notice: "!", wrong: "✗" } as const;
const TONES = { fine: "good", notice: "warning", wrong: "bad" } as const;

export function renderFindings(findings: readonly Finding[], color: boolean): string {
  const width = Math.max(...findings.map((one) => one.what.length));
  const lines = findings.flatMap((one) => [
    `${paint(ICONS[one.state], TONES[one.state], color)} ${one.what.padEnd(width)}  ${plainText(one.detail)}`,
    ...(one.next ? [`  ${" ".repeat(width)}  ${plainText(one.next)}`] : []),
  ]);
  const wrong = findings.filter((one) => one.state === "wrong").length;
  lines.push(
    "",
    wrong === 0
      ? "Loom can run here."
      : `${wrong} ${wrong === 1 ? "thing has" : "things have"} to be fixed before Loom can run here.`,
  );
  return `${lines.join("\n")}\n`;
}

/** What Loom has on the disk of one repository. */
export function diskWords(use: { ledgerBytes: number; logBytes: number; trees: number }): string {
  const trees = `${use.trees} ${use.trees === 1 ? "work tree" : "work trees"}`;
  return `${sizeWords(use.logBytes)} of logs, ${sizeWords(use.ledgerBytes)} of ledgers, ${trees}`;
}

function sizeWords(bytes: number): string {
  const kilobytes = Math.ceil(bytes / 1024);
  return kilobytes < 10_000 ? `${kilobytes} KB` : `${Math.ceil(kilobytes / 1024)} MB`;
}
