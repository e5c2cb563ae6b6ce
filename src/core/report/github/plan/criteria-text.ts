import { code, escapeMarkdown, escapeSentence, fenced } from "../../../markdown/escape-markdown.ts";
import { markdownTable } from "../../../markdown/markdown-table.ts";
import { counted, formatDuration } from "../../../text/durations.ts";
import { countLeaves, failedLeaves, leavesWith, rankOf, type Verdict } from "../../../verify/verdict.ts";

/** A criterion with the branch it hangs on. */
type Criterion = { readonly group: string; readonly verdict: Verdict };

const SIGNS = { passed: "✓", warned: "!", ask: "?", failed: "✗" } as const;
const SANDBOX = 48_000;
const MOST_PER_OUTPUT = 8_000;
const LEAST_PER_OUTPUT = 200;
const PASSED_OUTPUT = 1_000;
const MAX_ROWS = 60;

/** How many of the checks held; `warned` counts as held and is told, what asks for a person does not. */
export function countChecks(verdict: Verdict): { readonly passed: number; readonly total: number } {
  const leaves = leavesOf(verdict);
  const open = leaves.filter(({ verdict: { outcome } }) => outcome === "failed" || outcome === "ask").length;
  return { passed: leaves.length - open, total: leaves.length };
}

export function checksSentence(verdict: Verdict): string {
  const { passed, total } = countChecks(verdict);
  const failed = failedLeaves(verdict).length;
  const warned = leavesWith(verdict, "warned").length;
  const asks = leavesWith(verdict, "ask").length;
  const held =
    passed === total
      ? `All ${counted(total, "check")} passed`
      : failed > 0
        ? `${failed} of ${counted(total, "check")} failed`
        : `${passed} of ${counted(total, "check")} passed`;
  return `${total === 1 && passed === 1 ? "The one check passed" : held}${warned > 0 ? `, ${warned} with a warning` : ""}${asks > 0 ? `; ${asks} ${asks === 1 ? "needs" : "need"} a person` : ""}.`;
}

/** One row per criterion: what was asked, how it ended. */
export function renderChecksTable(verdict: Verdict): string {
  const leaves = worstFirst(leavesOf(verdict));
  const rows = leaves
    .slice(0, MAX_ROWS)
    .map(({ group, verdict: one }) => [
      SIGNS[one.outcome],
      escapeMarkdown(group, 40),
      code(one.title),
      resultOf(one),
    ]);
  const left = leaves.length - rows.length;
  const table = markdownTable(["", "Kind", "Check", "Result"], rows);
  return left > 0 ? `${table}\n\n… and ${counted(left, "more check")}.` : table;
}

/** Every criterion with its command, its exit code and the end of its output, the failed ones first and open. */
export function renderCriteria(verdict: Verdict): string {
  const leaves = worstFirst(leavesOf(verdict)).filter(
    ({ verdict: one }) => one.evidence !== null || one.detail !== null,
  );
  const share = Math.min(
    MOST_PER_OUTPUT,
    Math.max(LEAST_PER_OUTPUT, Math.floor(SANDBOX / Math.max(1, leaves.length))),
  );
  return leaves.map((leaf) => renderCriterion(leaf, share)).join("\n\n");
}

function renderCriterion({ group, verdict }: Criterion, share: number): string {
  const { outcome, title, evidence } = verdict;
  const head = `${SIGNS[outcome]} ${escapeMarkdown(group, 40)}: ${code(title)}`;
  const facts = resultOf(verdict);
  const command =
    evidence?.command && evidence.command !== title
      ? `\n\n${fenced(evidence.command, { info: "sh", maxChars: 2_000 })}`
      : "";
  const output = evidence?.output.trim()
    ? `\n\n${fenced(evidence.output, {
        maxChars: outcome === "passed" ? Math.min(share, PASSED_OUTPUT) : share,
        cutBefore: evidence.cutBytes,
      })}`
    : "";
  if (outcome !== "passed") return `#### ${head}\n\n${facts}${command}${output}`;
  if (command === "" && output === "") return `${head} — ${facts}`;
  return `<details>\n<summary>${SIGNS[outcome]} ${escapeMarkdown(`${group}: ${title}`, 120)}</summary>\n\n${facts}${command}${output}\n\n</details>`;
}

function resultOf({ outcome, detail, evidence }: Verdict): string {
  const facts: string[] = [];
  if (evidence && evidence.exitCode !== null && !detail?.includes("exited with"))
    facts.push(`exit ${evidence.exitCode}`);
  if (evidence?.timedOut) facts.push("timed out");
  if (evidence && evidence.durationMs !== null) facts.push(formatDuration(evidence.durationMs));
  const says = detail === null ? outcome : escapeSentence(detail, 400);
  return facts.length > 0 ? `${says} (${facts.join(", ")})` : says;
}

function leavesOf(verdict: Verdict, group = verdict.title): Criterion[] {
  if (verdict.children.length === 0)
    return countLeaves(verdict) > 0 || verdict.evidence ? [{ group, verdict }] : [];
  return verdict.children.flatMap((child) =>
    leavesOf(child, child.children.length > 0 ? child.title : verdict.title),
  );
}

function worstFirst(leaves: readonly Criterion[]): Criterion[] {
  return leaves.toSorted((a, b) => rankOf(a.verdict) - rankOf(b.verdict));
}
