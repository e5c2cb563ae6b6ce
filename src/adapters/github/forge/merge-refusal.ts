import * as z from "zod";
import type { MergeRules } from "../../../core/merge/merge-rules.ts";
import type { MergeOutcome } from "../../../ports/forge.ts";
import { detailOf } from "../api/failure.ts";
import { readMergeWords } from "../api/merge-words.ts";
import type { Reply } from "../api/send.ts";
import { getPull, type Pull } from "../pulls/pull.ts";
import { refusals } from "../refusals.ts";
import type { GitHubForgeParts } from "./parts.ts";

export type Refused = {
  readonly pull: Pull;
  readonly method: string;
  readonly reply: Reply;
  readonly rules: MergeRules;
  readonly onto: string | null;
};

/** What is not known here is a person's matter. */
export async function readMergeRefusal(forge: GitHubForgeParts, refused: Refused): Promise<MergeOutcome> {
  const { pull, method, reply, rules } = refused;
  const said = detailOf(reply.data);
  if (reply.status === 409) {
    const now = await getPull(forge.repository, pull.number);
    if (now && now.head.sha !== pull.head.sha) return refusals.headMoved(pull.number);
    return refusals.notYetKnown(pull.number, 5_000);
  }
  switch (readMergeWords(said, "at-once").why) {
    case "base-moved": {
      const tip = await forge.targetTip();
      return tip === refused.onto ? refusals.notYetKnown(pull.number, 5_000) : { kind: "moved", tip };
    }
    case "method":
      return refusals.methodNotAllowed(method, said);
    case "draft":
      return refusals.draft(pull.number);
    case "conflict":
      return refusals.conflict(pull.number);
    case "checks":
      return refusals.checks(pull.number, await namedChecks(forge, pull, rules, said));
    case "review":
      return refusals.review(pull.number, firstSentence(said));
    case "not-mergeable":
      return refusals.notYetKnown(pull.number, 15_000);
    default:
      return refusals.policy(pull.number, said);
  }
}

const CHECKS = "GET /repos/{owner}/{repo}/commits/{ref}/check-runs";
const CHECK = z.object({ name: z.string(), status: z.string(), conclusion: z.string().nullish() });
const GOOD = ["success", "neutral", "skipped"];

async function namedChecks(
  forge: GitHubForgeParts,
  pull: Pull,
  rules: MergeRules,
  said: string,
): Promise<string> {
  const open = await openChecks(forge, pull, rules);
  return open.length > 0 ? inWords(open) : firstSentence(said).replace(/\.$/, "");
}

/** A required check that is not green. `unseen`: there is no check run of that name, but perhaps a commit status. */
export type OpenCheck = { readonly name: string; readonly state: "unseen" | "running" | (string & {}) };

export async function openChecks(
  { repository }: GitHubForgeParts,
  pull: Pull,
  { requiredChecks }: MergeRules,
): Promise<OpenCheck[]> {
  if (requiredChecks.length === 0) return [];
  const runs = await repository.list(CHECKS, { ref: pull.head.sha, filter: "latest" }, CHECK, "check_runs");
  return requiredChecks.flatMap((name): OpenCheck[] => {
    const run = runs.find((one) => one.name === name);
    if (!run) return [{ name, state: "unseen" }];
    if (run.status !== "completed") return [{ name, state: "running" }];
    return GOOD.includes(run.conclusion ?? "") ? [] : [{ name, state: run.conclusion ?? "failed" }];
  });
}

export function inWords(open: readonly OpenCheck[]): string {
  return open
    .map(({ name, state }) => `\`${name}\` (${state === "unseen" ? "not reported yet" : state})`)
    .join(", ");
}

function firstSentence(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.find((line) => line !== "" && !/rule violations found/i.test(line)) ?? text;
}
