import type { DeliveryOf } from "../../../core/command/delivery.ts";
import { auditTexts } from "../../../core/report/audit/audit-texts.ts";
import { replies } from "../../../core/report/github/run/replies.ts";
import type { RepoEngine } from "../host.ts";
import { approveRun } from "../plan/approve-run.ts";
import { NotYet } from "../plan/not-yet.ts";
import { readConfig } from "../plan/read-config.ts";
import { findRun } from "./find-run.ts";
import { gestureOf } from "./gesture-of.ts";

/**
 * The label that approves. Triagers can set labels, so what counts is what the sender may do (T5), and which commit they
 * had before them (T4). A label that approves nothing is taken off again, so that it does not look as if it did.
 */
export async function handleLabel(
  engine: RepoEngine,
  id: string,
  delivery: DeliveryOf<"label">,
): Promise<void> {
  const { number, label, sender } = delivery;
  await assertOffered(engine, delivery.head.ref);
  const thread = await findRun(engine, number);
  if (thread?.kind !== "plan" || !isSame(label, thread.run.labels?.approve)) return;
  const { run } = thread;
  if (!delivery.added) {
    await engine.queue.enqueue({ kind: "observe", repo: engine.repo, run: run.id });
    return;
  }
  if (sender.bot) {
    const what = auditTexts.labelByBot(number);
    engine.audit.refused({ boundary: "command", rule: "bot", run: run.id, who: sender.login, what });
    await refuse(engine, number, label, id, replies.botsMayNot());
    return;
  }
  const [{ config, problems }, pull, role] = await Promise.all([
    readConfig(engine),
    engine.pulls.pull(number),
    engine.people.roleOf(sender),
  ]);
  if (!config) {
    await refuse(engine, number, label, id, replies.brokenConfig(problems));
    return;
  }
  // A late message about a label that is gone again approves nothing.
  if (!pull?.labels.some((one) => isSame(one, label))) return;
  const set = await engine.threads.labelled(number, label);
  if (set?.by !== sender.id) {
    // GitHub may tell of a label a moment before it lists it. Later, this is about one that was taken off again, and who
    // set the one that is there now is told by a message of its own (T33).
    if (engine.now() - Date.parse(delivery.at) < LISTED_WITHIN_MS)
      throw new NotYet(`the label on #${number} is not listed yet`);
    return;
  }
  const outcome = await approveRun(engine, run.id, config.approval.leastRole, {
    by: sender,
    role,
    via: "label",
    sha: delivery.head.sha,
    at: delivery.at,
    gesture: gestureOf.label(set.event),
    pull,
  });
  if (outcome.kind === "approved" || outcome.kind === "already") {
    await engine.queue.enqueue({ kind: "advance", repo: engine.repo, run: run.id });
    return;
  }
  await refuse(engine, number, label, id, replies.approval(outcome, run.planPath));
}

/** Between opening the plan's pull request and writing its number down, somebody quick can set the label. */
async function assertOffered(engine: RepoEngine, branch: string): Promise<void> {
  const id = /^loom\/([a-z0-9-]+)\.plan$/.exec(branch)?.[1];
  const run = id === undefined ? null : await engine.runs.load(id);
  if (run?.status !== "running" || run.offer) return;
  const age = engine.now() - Date.parse(run.createdAt);
  if (age < OFFERED_WITHIN_MS) throw new NotYet(`the plan of ${run.id} is being opened`);
}

const OFFERED_WITHIN_MS = 10 * 60_000;
const LISTED_WITHIN_MS = 3_000;

/** GitHub does not tell capital letters in labels apart. */
function isSame(label: string, other: string | undefined): boolean {
  return label.toLowerCase() === other?.toLowerCase();
}

async function refuse(
  engine: RepoEngine,
  number: number,
  label: string,
  delivery: string,
  text: string,
): Promise<void> {
  await engine.threads.setLabels(number, { add: [], remove: [label] });
  await engine.threads.comment(number, `label-${delivery}`, text);
}
