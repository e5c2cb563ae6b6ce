import { renderCodebaseMap } from "../../core/codebase/render-codebase-map.ts";
import { isAudit } from "../../core/command/task-kinds.ts";
import { InternalError } from "../../core/errors.ts";
import { askPrompt } from "../../core/findings/ask-prompt.ts";
import { agentForAudit, auditPrompt } from "../../core/findings/audit-prompt.ts";
import type { EarlierFindings } from "../../core/findings/earlier-finding.ts";
import { readAudit } from "../../core/findings/read-audit.ts";
import { failures } from "../../core/report/texts/failure-texts.ts";
import { findAgent } from "../../core/roster/roster.ts";
import type { Change, ChangePrompt } from "../../core/task/fit-change.ts";
import type { Task } from "../../core/task/task.ts";
import { plainLines } from "../../core/text/escape-text.ts";
import { mapRepository, readKnowledge } from "../attempt/map-repository.ts";
import type { TaskChannel } from "./task-channel.ts";
import { writeTask } from "./task-claim.ts";
import type { TaskContext } from "./task-context.ts";
import { holdSession, SAID_CHARS, type SessionWish } from "./task-session.ts";

/** No agent reads more than that; of what is beyond it reads the files. */
const DIFF_BYTES = 5_000_000;
const DIFF_FILE = "change.diff";
/** More than a comment holds: whoever shows it says how much it leaves out. */
const ANSWER_CHARS = 200_000;

/** One session that answers a question, or audits what is there. */
export async function tellWhatIsThere(
  context: TaskContext,
  task: Task,
  purpose: "answer" | "audit",
  channel: TaskChannel,
): Promise<void> {
  if (purpose === "answer") await answer(context, task);
  else await audit(context, task, channel);
}

async function around({ workspace }: TaskContext, { commit, scope }: Task) {
  return {
    map: renderCodebaseMap(await mapRepository(workspace, commit)),
    // What somebody's branch says to those who work here is a part of the change, and no advice for who looks at it (T8).
    knowledge: await readKnowledge(workspace, scope?.from ?? commit),
  };
}

/** null: all that is there is looked at. */
async function changeOf({ workspace, home }: TaskContext, { scope, commit }: Task): Promise<Change | null> {
  if (!scope) return null;
  const { text, cut } = await workspace.diffStart(scope.from, commit, { maxBytes: DIFF_BYTES });
  const files = await workspace.changedFiles(scope.from, commit);
  return { diff: text, files, place: `${home.shown}/${DIFF_FILE}`, beyond: cut };
}

/** An agent that only reads has no git to ask for what its prompt leaves out. */
async function writeRest({ home }: TaskContext, { rest }: ChangePrompt): Promise<Pick<SessionWish, "shows">> {
  if (rest === null) return {};
  await home.show(DIFF_FILE, rest);
  return { shows: [home.shown] };
}

async function answer(context: TaskContext, task: Task): Promise<void> {
  const { engine, claim, prompts } = context;
  const change = await changeOf(context, task);
  const prompt = askPrompt(prompts, { task, change, ...(await around(context, task)) }, engine.hash);
  const wish = { purpose: "answer", prompt, followUp: null, profile: null } as const;
  const answer = await holdSession(context, task, { ...wish, ...(await writeRest(context, prompt)) });
  if (answer.kind === "said")
    await writeTask(engine, claim, {
      type: "answer-written",
      // As people will read it: secrets are looked for in what is written down.
      text: plainLines(answer.text).slice(0, ANSWER_CHARS),
    });
}

/** Why an answer can't be read is told to the agent, in the same conversation where that goes on. */
async function audit(context: TaskContext, task: Task, channel: TaskChannel): Promise<void> {
  const { engine, claim } = context;
  const earlier = await channel.earlierFindings(task);
  const problem = problemBefore(task);
  const prompt = await auditWords(context, task, earlier, problem);
  const profile = profileFor(context, task);
  const wish = { purpose: "audit", prompt, followUp: problem, profile } as const;
  const answer = await holdSession(context, task, { ...wish, ...(await writeRest(context, prompt)) });
  if (answer.text === null) return;
  const files = new Set(await context.workspace.listFiles(task.commit));
  const reading = readAudit(answer.text, { earlier, tree: { root: context.tree.path, files } });
  if (reading.kind === "read")
    await writeTask(engine, claim, {
      type: "audit-written",
      result: { ...reading.result, ...(prompt.seen ? { seen: prompt.seen } : {}) },
    });
  else if (answer.kind === "said")
    await writeTask(engine, claim, {
      type: "session-failed",
      failure: {
        ...failures.contractUnmet("its findings can't be read"),
        evidence: answer.text.slice(-SAID_CHARS),
      },
    });
}

/** What was wrong with the last answer, if it was wrong; null: nobody has answered yet. */
function problemBefore({ failures: before }: Task): string | null {
  const last = before.findLast(({ kind }) => kind === "contract-unmet");
  if (!last) return null;
  const reading = readAudit(last.evidence ?? "");
  return reading.kind === "unreadable" ? reading.problem : last.message;
}

/** Disabling takes agents out of planning; whoever asks for an audit has chosen its agent, with its limits. */
function profileFor({ engine }: TaskContext, { kind }: Task) {
  return (isAudit(kind) ? findAgent(engine.roster, agentForAudit(kind)) : undefined) ?? null;
}

async function auditWords(
  context: TaskContext,
  task: Task,
  earlier: EarlierFindings,
  problem: string | null,
): Promise<ChangePrompt> {
  const { engine, prompts } = context;
  const { kind } = task;
  if (!isAudit(kind)) throw new InternalError(`${kind} is no audit`);
  const change = await changeOf(context, task);
  return auditPrompt(
    prompts,
    {
      audit: kind,
      task,
      agent: profileFor(context, task),
      change,
      earlier,
      problem,
      ...(await around(context, task)),
    },
    engine.hash,
  );
}
