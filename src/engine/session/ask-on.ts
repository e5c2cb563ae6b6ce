import type { PromptMetrics } from "../../core/prompt/build-prompt.ts";
import type { AttemptContext } from "../attempt/restore-work.ts";
import type { ChosenAgent } from "./choose-agent.ts";
import { judgeOf, recordSession } from "./record-session.ts";
import { ceilingOf, toolsOf } from "./session-limits.ts";

/** Long enough for a document, too short for more work. */
const CEILING_SECS = 600;

export type Reply =
  | { readonly kind: "said"; readonly text: string }
  /** It wants to know something from a person first. */
  | { readonly kind: "asked"; readonly question: string }
  /** The harness can't go on with the conversation, or it ended in something else than an answer. */
  | { readonly kind: "none" };

/** Asks one thing more in a conversation that has ended. */
export async function askOn(
  attempt: AttemptContext,
  chosen: ChosenAgent,
  resume: string | null,
  request: string,
  how: { readonly mayWork: boolean },
): Promise<Reply> {
  if (resume === null) return { kind: "none" };
  const prompt = { text: request, rules: "", task: request };
  const metrics: PromptMetrics = {
    prefixHash: "",
    prefixBytes: 0,
    bytes: request.length,
    tokens: 0,
    cut: [],
  };
  const { outcome, text } = await recordSession(
    attempt,
    chosen,
    { type: "follow-up", metrics },
    {
      prompt,
      resume,
      tools: how.mayWork ? toolsOf(chosen.profile) : "none",
      judge: judgeOf(attempt),
      // Whatever is left of the window is for this.
      contextBudget: null,
      ceilingSecs: how.mayWork ? ceilingOf(attempt, chosen.profile) : CEILING_SECS,
      stallSecs: 0,
    },
  );
  if (outcome.kind === "asked") return outcome;
  return outcome.kind === "finished" && text !== null ? { kind: "said", text } : { kind: "none" };
}
