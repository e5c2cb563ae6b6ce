import type { RunId } from "../../../core/ids.ts";
import { renderPanel } from "../../../core/report/github/run/panel.ts";
import { replies } from "../../../core/report/github/run/replies.ts";
import { checksOf } from "../../../core/report/github/run/run-checks.ts";
import {
  hostedStatus,
  panelView,
  stagePullView,
  wasUnconfined,
} from "../../../core/report/github/run/run-views.ts";
import { readShown, type Shown } from "../../../core/report/github/run/shelved.ts";
import { stagePull } from "../../../core/report/github/run/stage-pull.ts";
import { statusLabel } from "../../../core/report/github/run/status-labels.ts";
import { whyVoided } from "../../../core/report/texts/cause-texts.ts";
import type { VoidCause } from "../../../core/run/causes.ts";
import type { Run } from "../../../core/run/run.ts";
import { AccessLost } from "../../../ports/github/access-lost.ts";
import type { CheckSpec } from "../../../ports/github/checks.ts";
import { timestamp } from "../../engine.ts";
import type { RepoEngine } from "../host.ts";
import { describePlan } from "../plan/describe-plan.ts";
import { loadShown } from "./load-shown.ts";
import { mirrorRun } from "./mirror-run.ts";
import { unservedLabels } from "./unserved-labels.ts";

/**
 * Brings what people see up to date: the panel, the check runs, the labels, the notes between pull requests. All of it
 * follows from the run; what was written last is remembered, so that only what changed is written again. Called some time
 * after something happened, it shows all that happened meanwhile at once: GitHub allows 500 such writes an hour.
 */
export async function showRun(engine: RepoEngine, id: RunId): Promise<void> {
  const known = await engine.runs.load(id);
  if (!known?.origin || known.archived) return;
  const run = await loadShown(engine, id);
  if (!run) return;
  // Each on its own: a locked issue must not keep a required check from being reported, nor the ledger from being kept.
  const outcomes = [
    await tried(async () => (run.showsPanel ? showPanel(engine, run) : undefined)),
    await tried(async () => {
      for (const check of checksOf(run, engine.now())) await showCheck(engine, run, check);
    }),
    await tried(() => showLabels(engine, run)),
    await tried(() => showNeighbours(engine, run)),
    await tried(() => showUnconfined(engine, run)),
    await tried(() => showVoided(engine, run)),
    await tried(() => mirrorRun(engine, known)),
  ];
  const [first] = outcomes.flatMap((trouble) => trouble ?? []);
  if (first !== undefined) throw first;
}

/** What went wrong, but for lost access: then there is nobody left to show it to. */
async function tried(show: () => Promise<void>): Promise<unknown[] | null> {
  try {
    await show();
    return null;
  } catch (error) {
    return error instanceof AccessLost ? null : [error];
  }
}

async function showPanel(engine: RepoEngine, run: Run): Promise<void> {
  if (!run.origin) return;
  const unserved = await unservedLabels(engine, run.id);
  const body = renderPanel({ ...panelView(run, engine.now()), unserved });
  await whenChanged(engine, run.id, "panel", body, async () => {
    if (run.panel !== null) {
      // Whoever deleted the panel does not want it back.
      await engine.threads.editComment(run.panel, body);
      return null;
    }
    const { comment } = await engine.threads.comment(run.origin?.issue ?? 0, `panel-${run.id}`, body);
    await engine.runs.write(run.id, (current) =>
      current.panel === null ? [{ type: "panel-posted", at: timestamp(engine), comment }] : null,
    );
    return null;
  });
}

async function showCheck(engine: RepoEngine, run: Run, check: CheckSpec): Promise<void> {
  const surface = `check/${check.head}/${check.name}`;
  await whenChanged(engine, run.id, surface, JSON.stringify(check), (known) =>
    engine.checks.putCheck(check, known),
  );
}

/** A button or a re-run has changed what GitHub shows; the next look writes it again. */
export async function forgetShown(engine: RepoEngine, run: RunId, name: string): Promise<void> {
  for (const [key, value] of await engine.cache.list(`${shownOf(run)}check/`)) {
    const shown = readShown(value);
    if (key.endsWith(`/${name}`) && shown)
      await engine.cache.set(key, JSON.stringify({ ...shown, text: "" }));
  }
}

/** On the issue and on the plan's pull request. Other people's labels are never touched. */
async function showLabels(engine: RepoEngine, run: Run): Promise<void> {
  const { labels } = run;
  if (!labels || !run.origin) return;
  const { approve: _approve, ...states } = labels;
  const needsHuman = panelView(run, engine.now()).asks.length > 0;
  const state = statusLabel(hostedStatus(run), states, needsHuman);
  const wanted = [
    ...(state === null ? [] : [state]),
    ...(run.approval.kind === "given" ? [labels.approved] : []),
  ];
  for (const number of threadsOf(run)) {
    await whenChanged(engine, run.id, `${LABELS}${number}`, wanted.join("\n"), async (_id, before) => {
      const present = before === null ? [] : before.split("\n").filter((name) => name !== "");
      await engine.threads.setLabels(number, {
        add: wanted.filter((name) => !holds(present, name)),
        remove: present.filter((name) => !holds(wanted, name)),
      });
      return null;
    });
  }
}

/** GitHub does not tell capital letters in the names of labels apart. */
function holds(labels: readonly string[], name: string): boolean {
  return labels.some((label) => label.toLowerCase() === name.toLowerCase());
}

/** Of a run that is archived. */
export async function clearLabels(engine: RepoEngine, run: Run): Promise<void> {
  for (const number of threadsOf(run))
    await engine.threads.setLabels(number, { add: [], remove: Object.values(run.labels ?? {}) });
}

function threadsOf({ origin, offer }: Run): Set<number> {
  return new Set([...(origin ? [origin.issue] : []), ...(offer ? [offer.pr] : [])]);
}

/**
 * An approval that no longer counts is told where it was given, because nobody is notified of an edited panel. The label
 * that gave it comes off: it would look as if it still counted, and could not be set again.
 */
async function showVoided(engine: RepoEngine, { id, offer, approval, labels }: Run): Promise<void> {
  if (!offer || approval.kind !== "awaited" || !approval.voided) return;
  const { voided } = approval;
  const { events } = await engine.store.load(id);
  // What a changed plan has to do with it is told where the change is shown.
  const last = events.findLast(({ type }) => VOIDING.has(type));
  if (last?.type !== "approval-voided") return;
  const times = events.filter(({ type }) => type === "approval-voided").length;
  await whenChanged(engine, id, "voided", String(times), async () => {
    const given = events.findLast((event) => event.type === "run-approved");
    if (labels && given?.via === "label" && !isRemoved(voided, labels.approve))
      await engine.threads.setLabels(offer.pr, { add: [], remove: [labels.approve] });
    await engine.threads.comment(
      offer.pr,
      `voided-${id}-${times}`,
      replies.approvalVoided(whyVoided(voided), offer.head),
    );
    return null;
  });
}

function isRemoved(cause: VoidCause, label: string): boolean {
  return cause.kind === "label-removed" && cause.label === label;
}

const VOIDING: ReadonlySet<string> = new Set(["approval-voided", "plan-amended", "plan-edit-refused"]);

/** Each pull request names those it depends on and those that wait for it; the latter come to be known later. */
async function showNeighbours(engine: RepoEngine, run: Run): Promise<void> {
  for (const record of run.stages.values()) {
    const { pr, state } = record;
    if (pr === null || state.kind !== "executing" || state.phase !== "published") continue;
    const view = stagePullView(run, record);
    const neighbours = JSON.stringify([view.neededBy.map((one) => one.pr)]);
    const surface = `neighbours/${pr}`;
    if (view.neededBy.every((one) => one.pr === null)) continue;
    await whenChanged(engine, run.id, surface, neighbours, async () => {
      await engine.pulls.editPull(pr, { body: stagePull(view).body });
      return null;
    });
  }
}

/** Whoever reads the plan's pull request sees there that its stages had no sandbox; which worker takes them is known late. */
async function showUnconfined(engine: RepoEngine, run: Run): Promise<void> {
  const { offer } = run;
  if (!offer || !wasUnconfined(run)) return;
  await whenChanged(engine, run.id, "unconfined", "off", async () => {
    await engine.pulls.editPull(offer.pr, { body: (await describePlan(engine, run)).body });
    return null;
  });
}

const LABELS = "labels/";

function shownOf(run: RunId): string {
  return `shown/${run}/`;
}

/** Of a run that is archived, which nobody shows again. */
export async function forgetAllShown(engine: RepoEngine, run: RunId): Promise<void> {
  for (const key of (await engine.cache.list(shownOf(run))).keys()) await engine.cache.remove(key);
}

async function whenChanged(
  engine: RepoEngine,
  run: RunId,
  surface: string,
  text: string,
  write: (known: number | null, before: string | null) => Promise<number | null>,
): Promise<void> {
  const key = `${shownOf(run)}${surface}`;
  const shown = readShown(await engine.cache.get(key));
  // Texts of checks are long and many; of labels, what was there before is looked at.
  const mark = surface.startsWith(LABELS) ? text : engine.hash(text);
  if (shown?.text === mark || shown?.text === text) return;
  const id = await write(shown?.id ?? null, shown?.text ?? null);
  const next: Shown = { id: id ?? shown?.id ?? null, text: mark };
  await engine.cache.set(key, JSON.stringify(next));
}
