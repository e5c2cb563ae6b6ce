import { scanMarkdown } from "../markdown/scan-markdown.ts";
import { shortLine, shortText } from "../text/cut-text.ts";
import { plainLines } from "../text/escape-text.ts";
import { splitLines } from "../text/text-lines.ts";
import { isRecord, listOf, readLooseYaml, wordOf } from "./read-loose-yaml.ts";

/**
 * The completion contract: the agent says in a block of its own whether it is done, so that a session that merely
 * ran out of words is not taken for one that came to its end. It only ever makes Loom stricter: checks decide as always.
 */
export type CompletionMode = "off" | "warn" | "enforce";
export type CompletionStatus = "complete" | "partial" | "blocked";

export type Completion =
  | {
      readonly kind: "valid";
      readonly status: CompletionStatus;
      readonly summary: string;
      readonly evidence: readonly string[];
    }
  | { readonly kind: "invalid"; readonly problem: string }
  | { readonly kind: "none" };

export type CompletionJudgement =
  | { readonly kind: "accept"; readonly warning: string | null }
  /** The agent gets one more turn, with the problem. */
  | { readonly kind: "ask-again"; readonly problem: string }
  /** The agent can't go on by itself: the stage waits for an answer, as it does for any question. */
  | { readonly kind: "ask-person"; readonly question: string };

/** What stands behind the opening fence. */
export const COMPLETION_FENCE = "loom-completion";

const TEXT_CHARS = 200_000;
const BLOCK_CHARS = 20_000;
const SUMMARY_CHARS = 1_000;
const EVIDENCE_ITEMS = 20;
const EVIDENCE_CHARS = 300;

/** The last block counts: an agent may show an example before. */
export function parseCompletion(text: string): Completion {
  const lines = splitLines(plainLines(text.slice(-TEXT_CHARS)));
  const fence = scanMarkdown(lines).fences.findLast(({ info }) => info === COMPLETION_FENCE);
  if (!fence) return { kind: "none" };
  const block = lines.text.slice(lines.start(fence.content.from), lines.start(fence.content.to));
  if (block.length > BLOCK_CHARS) return invalid(`the block is longer than ${BLOCK_CHARS} characters`);
  const value = readLooseYaml(block);
  if (!isRecord(value)) return invalid("the block is no YAML mapping with `status` and `summary`");
  const status = wordOf(value.status).trim().toLowerCase();
  if (!isStatus(status)) return invalid("`status` has to be `complete`, `partial` or `blocked`");
  const summary = shortText(wordOf(value.summary), SUMMARY_CHARS);
  if (summary === "") return invalid("`summary` is missing: one or two sentences about what was done");
  const evidence = listOf(value.evidence).map((one) => shortLine(wordOf(one), EVIDENCE_CHARS));
  return {
    kind: "valid",
    status,
    summary,
    evidence: evidence.filter((one) => one !== "").slice(0, EVIDENCE_ITEMS),
  };
}

/**
 * With `warn` nothing is held up. With `enforce` a missing block, a wrong one and half a stage go back to the agent, and
 * `blocked` becomes a question to a person; how often to ask again is for the caller to count.
 */
export function judgeCompletion(mode: CompletionMode, completion: Completion): CompletionJudgement {
  if (mode === "off") return { kind: "accept", warning: null };
  if (completion.kind === "valid" && completion.status === "complete") {
    return { kind: "accept", warning: null };
  }
  if (mode === "warn") return { kind: "accept", warning: warningFor(completion) };
  switch (completion.kind) {
    case "none":
      return { kind: "ask-again", problem: `there is no \`${COMPLETION_FENCE}\` block` };
    case "invalid":
      return { kind: "ask-again", problem: completion.problem };
    case "valid":
      return completion.status === "blocked"
        ? { kind: "ask-person", question: `I can't go on: ${completion.summary}` }
        : { kind: "ask-again", problem: "the block says `partial`: do what is left of the stage first" };
  }
}

function warningFor(completion: Completion): string {
  switch (completion.kind) {
    case "none":
      return "The agent did not say whether it is done.";
    case "invalid":
      return `The agent's completion block can't be used: ${completion.problem}.`;
    case "valid":
      return completion.status === "blocked"
        ? `The agent says that it could not go on: ${shortLine(completion.summary, 300)}`
        : `The agent says that a part is missing: ${shortLine(completion.summary, 300)}`;
  }
}

function isStatus(text: string): text is CompletionStatus {
  return text === "complete" || text === "partial" || text === "blocked";
}

function invalid(problem: string): Completion {
  return { kind: "invalid", problem };
}
