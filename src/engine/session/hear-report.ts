import { DEFAULTS } from "../../core/config/defaults.ts";
import { failures } from "../../core/report/texts/failure-texts.ts";
import { reportTexts } from "../../core/report/texts/report-texts.ts";
import { judgeCompletion, parseCompletion } from "../../core/session/completion.ts";
import { askForCompletion, askForReport } from "../../core/session/session-requests.ts";
import { parseTaskReport } from "../../core/session/task-report.ts";
import { writeHeld } from "../attempt/claim.ts";
import type { AttemptContext } from "../attempt/restore-work.ts";
import { askOn } from "./ask-on.ts";
import type { ChosenAgent } from "./choose-agent.ts";
import type { SessionResult } from "./session-types.ts";
import { failAttempt, keepWork } from "./settle-session.ts";

/** How often an agent is asked again for the agreed form of its last word, where that is enforced. */
const CONTRACT_ROUNDS = 2;

/**
 * What the agent says about its work when it is done: a report for people and what the stages behind it have to know.
 * Missing parts are asked for once and then let through with a warning; the contract has rules of its own.
 * False when the attempt has failed over it. None of it proves anything.
 */
export async function hearReport(
  attempt: AttemptContext,
  chosen: ChosenAgent,
  result: SessionResult,
): Promise<boolean> {
  if (!chosen.harness.speaks) return true;
  const said = await completeReport(attempt, chosen, result);
  return keepContract(attempt, chosen, result, said);
}

async function completeReport(
  attempt: AttemptContext,
  chosen: ChosenAgent,
  result: SessionResult,
): Promise<string> {
  const { engine, claim } = attempt;
  let text = result.text ?? "";
  let parsed = parseTaskReport(text);
  if (parsed.missing.length > 0) {
    const request = askForReport(attempt.prompts.sessions.reportRequest, parsed.missing);
    const more = await askOn(attempt, chosen, result.resume, request, { mayWork: false });
    if (more.kind === "said") {
      const second = parseTaskReport(more.text);
      text = `${text}\n\n${more.text}`;
      parsed = {
        report: parsed.report ?? second.report,
        downstream: parsed.downstream ?? second.downstream,
        missing: parsed.missing.filter((part) => second.missing.includes(part)),
      };
    }
  }
  if (parsed.report !== null || parsed.downstream !== null)
    await writeHeld(engine, claim, {
      type: "report-received",
      text: parsed.report ?? "",
      downstream: parsed.downstream,
    });
  if (parsed.missing.length > 0)
    await writeHeld(engine, claim, { type: "attempt-warned", text: reportTexts.missing(parsed.missing) });
  return text;
}

async function keepContract(
  attempt: AttemptContext,
  chosen: ChosenAgent,
  result: SessionResult,
  said: string,
): Promise<boolean> {
  const { engine, claim, run } = attempt;
  const mode = run.settings.contract ?? DEFAULTS.contract;
  let judged = judgeCompletion(mode, parseCompletion(said));
  for (let round = 1; judged.kind === "ask-again" && round <= CONTRACT_ROUNDS; round += 1) {
    const request = askForCompletion(attempt.prompts.sessions.completionRequest, judged.problem);
    const answer = await askOn(attempt, chosen, result.resume, request, { mayWork: true });
    if (answer.kind === "none") break;
    judged =
      answer.kind === "asked"
        ? { kind: "ask-person", question: answer.question }
        : judgeCompletion(mode, parseCompletion(answer.text));
  }
  if (judged.kind === "ask-again") {
    await failAttempt(attempt, failures.contractUnmet(judged.problem));
    return false;
  }
  if (judged.kind === "ask-person") {
    await keepWork(attempt);
    await writeHeld(engine, claim, { type: "input-requested", question: judged.question });
    return false;
  }
  if (judged.warning !== null)
    await writeHeld(engine, claim, { type: "attempt-warned", text: judged.warning });
  return true;
}
