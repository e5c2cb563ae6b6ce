import { renderCodebaseMap } from "../../core/codebase/render-codebase-map.ts";
import type { Errand } from "../../core/errand/errand.ts";
import { isAudit } from "../../core/errand/errand-kinds.ts";
import type { Change, ChangeSignal } from "../../core/errand/fit-change.ts";
import { InternalError } from "../../core/errors.ts";
import { askSignal } from "../../core/findings/ask-signal.ts";
import { agentForAudit, auditSignal } from "../../core/findings/audit-signal.ts";
import type { EarlierFindings } from "../../core/findings/earlier-finding.ts";
import { readAudit } from "../../core/findings/read-audit.ts";
import { plainLines } from "../../core/report/escape-text.ts";
import { failures } from "../../core/report/failure-texts.ts";
import { findAgent } from "../../core/roster/roster.ts";
import { mapRepository, readKnowledge } from "../map-repository.ts";
import { writeErrand } from "./errand-claim.ts";
import type { ErrandDesk } from "./errand-desk.ts";
import type { ErrandOffice } from "./errand-office.ts";
import { holdSession, SAID_CHARS, type SessionWish } from "./errand-session.ts";

/** No agent reads more than that; of what is beyond it reads the files. */
const DIFF_BYTES = 5_000_000;
const DIFF_FILE = "change.diff";
/** More than a comment holds: whoever shows it says how much it leaves out. */
const ANSWER_CHARS = 200_000;

/** One session that answers a question, or audits what is there. */
export async function tellWhatIsThere(
  desk: ErrandDesk,
  errand: Errand,
  purpose: "answer" | "audit",
  office: ErrandOffice,
): Promise<void> {
  if (purpose === "answer") await answer(desk, errand);
  else await audit(desk, errand, office);
}

async function around({ workspace }: ErrandDesk, { commit, scope }: Errand) {
  return {
    map: renderCodebaseMap(await mapRepository(workspace, commit)),
    // What somebody's branch says to those who work here is a part of the change, and no advice for who looks at it (T8).
    knowledge: await readKnowledge(workspace, scope?.from ?? commit),
  };
}

/** null: all that is there is looked at. */
async function changeOf({ workspace, home }: ErrandDesk, { scope, commit }: Errand): Promise<Change | null> {
  if (!scope) return null;
  const { text, cut } = await workspace.diffStart(scope.from, commit, { maxBytes: DIFF_BYTES });
  const files = await workspace.changedFiles(scope.from, commit);
  return { diff: text, files, place: `${home.shown}/${DIFF_FILE}`, beyond: cut };
}

/** An agent that only reads has no git to ask for what its signal leaves out. */
async function layOutRest({ home }: ErrandDesk, { rest }: ChangeSignal): Promise<Pick<SessionWish, "shows">> {
  if (rest === null) return {};
  await home.show(DIFF_FILE, rest);
  return { shows: [home.shown] };
}

async function answer(desk: ErrandDesk, errand: Errand): Promise<void> {
  const { engine, claim, prompts } = desk;
  const change = await changeOf(desk, errand);
  const signal = askSignal(prompts, { errand, change, ...(await around(desk, errand)) }, engine.hash);
  const wish = { purpose: "answer", signal, followUp: null, profile: null } as const;
  const said = await holdSession(desk, errand, { ...wish, ...(await layOutRest(desk, signal)) });
  if (said.kind === "said")
    await writeErrand(engine, claim, {
      type: "answer-written",
      // As people will read it: secrets are looked for in what is written down.
      text: plainLines(said.text).slice(0, ANSWER_CHARS),
    });
}

/** Why an answer can't be read is told to the agent, in the same conversation where that goes on. */
async function audit(desk: ErrandDesk, errand: Errand, office: ErrandOffice): Promise<void> {
  const { engine, claim } = desk;
  const earlier = await office.earlierFindings(errand);
  const problem = problemBefore(errand);
  const signal = await auditWords(desk, errand, earlier, problem);
  const profile = profileFor(desk, errand);
  const wish = { purpose: "audit", signal, followUp: problem, profile } as const;
  const said = await holdSession(desk, errand, { ...wish, ...(await layOutRest(desk, signal)) });
  if (said.text === null) return;
  const files = new Set(await desk.workspace.listFiles(errand.commit));
  const reading = readAudit(said.text, { earlier, tree: { root: desk.tree.path, files } });
  if (reading.kind === "read")
    await writeErrand(engine, claim, {
      type: "audit-written",
      result: { ...reading.result, ...(signal.seen ? { seen: signal.seen } : {}) },
    });
  else if (said.kind === "said")
    await writeErrand(engine, claim, {
      type: "session-failed",
      failure: {
        ...failures.contractUnmet("its findings can't be read"),
        evidence: said.text.slice(-SAID_CHARS),
      },
    });
}

/** What was wrong with the last answer, if it was wrong; null: nobody has answered yet. */
function problemBefore({ failures: before }: Errand): string | null {
  const last = before.findLast(({ kind }) => kind === "contract-unmet");
  if (!last) return null;
  const reading = readAudit(last.evidence ?? "");
  return reading.kind === "unreadable" ? reading.problem : last.message;
}

/** Disabling takes agents out of planning; whoever asks for an audit has chosen its agent, with its limits. */
function profileFor({ engine }: ErrandDesk, { kind }: Errand) {
  return (isAudit(kind) ? findAgent(engine.roster, agentForAudit(kind)) : undefined) ?? null;
}

async function auditWords(
  desk: ErrandDesk,
  errand: Errand,
  earlier: EarlierFindings,
  problem: string | null,
): Promise<ChangeSignal> {
  const { engine, prompts } = desk;
  const { kind } = errand;
  if (!isAudit(kind)) throw new InternalError(`${kind} is no audit`);
  const change = await changeOf(desk, errand);
  return auditSignal(
    prompts,
    {
      audit: kind,
      errand,
      agent: profileFor(desk, errand),
      change,
      earlier,
      problem,
      ...(await around(desk, errand)),
    },
    engine.hash,
  );
}
