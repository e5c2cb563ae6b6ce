import { runFolder } from "../../core/config/run-folder.ts";
import type { RunId, StageId } from "../../core/ids.ts";
import { designFileOf, designStatusOf, withStatus } from "../../core/planning/design-ref.ts";
import { renderAbout } from "../../core/report/documents/about-file.ts";
import { renderProgress } from "../../core/report/documents/progress-file.ts";
import {
  type ChangedFiles,
  renderSessionState,
  sortChanges,
} from "../../core/report/documents/session-state-file.ts";
import { renderUnit, unitName } from "../../core/report/documents/unit-file.ts";
import { renderHistory } from "../../core/report/terminal/history-lines.ts";
import { renderStageReport } from "../../core/report/terminal/stage-report.ts";
import type { Run } from "../../core/run/run.ts";
import { table } from "../../core/table.ts";
import { renderGateScript } from "../../core/verify/synthesize-gate.ts";
import type { Engine } from "../engine.ts";
import { timestamp } from "../engine.ts";

/**
 * Puts the run's documents into the repository as one closing commit, so that they travel with the code. The stages'
 * own commits stay free of bookkeeping: any of them can be reverted without touching the others. Branches and work trees
 * go before the ledger says that all is done, so that a crash at any point leaves nothing of them for good.
 */
export async function recordRun(engine: Engine, id: RunId): Promise<void> {
  const run = await engine.runs.get(id);
  if (run.status !== "completed" || run.recorded) return;
  const forge = await engine.forgeFor(run);
  const outcome = await forge.record({
    run: id,
    folder: runFolder(run.settings, id),
    files: await documents(engine, run),
    message: `Record the run ${id}`,
  });
  if (outcome.kind === "held") {
    notice(engine, id, `${outcome.reason} ${outcome.next}`);
    return;
  }
  await forge.cleanUp(id, []);
  await engine.workspaceFor(run).dispose();
  await engine.runs.write(id, (current) =>
    current.recorded ? null : [{ type: "run-recorded", at: timestamp(engine), commit: outcome.commit }],
  );
}

/** Recording is tried again whenever the run is looked at; people need to hear only once what holds it up. */
const given = new WeakMap<Engine, Set<string>>();

function notice(engine: Engine, run: RunId, text: string): void {
  const texts = given.get(engine) ?? new Set();
  given.set(engine, texts);
  if (texts.has(text)) return;
  texts.add(text);
  engine.feed({ kind: "notice", run, text });
}

/** What each stage added and removed. A branch that was squashed may be gone from git by now; then nothing is said about it. */
async function kindsOfChanges(engine: Engine, run: Run): Promise<ReadonlyMap<StageId, ChangedFiles>> {
  const workspace = engine.workspaceFor(run);
  const found = new Map<StageId, ChangedFiles>();
  for (const [id, { base, commit, files }] of run.stages) {
    if (base === null || commit === null) continue;
    const listed = [base, commit].map((at) => workspace.listFiles(at).then((paths) => new Set(paths)));
    const [before, after] = await Promise.all(listed).catch(() => []);
    if (before && after) found.set(id, sortChanges(files, before, after));
  }
  return found;
}

async function documents(engine: Engine, run: Run): Promise<Record<string, string>> {
  const folder = runFolder(run.settings, run.id);
  const { events } = await engine.store.load(run.id);
  const { sessionState } = engine.promptsFor(run).tasks.templates;
  const files: Record<string, string> = table({
    [`${folder}/PLAN.md`]: run.planText,
    [`${folder}/about.md`]: renderAbout(run),
    [`${folder}/PROGRESS.md`]: renderProgress(run),
    [`${folder}/session-state.md`]: renderSessionState(run, sessionState, await kindsOfChanges(engine, run)),
    [`${folder}/history.jsonl`]: renderHistory(events),
    [`${folder}/gate`]: renderGateScript(run.gate.map((check) => check.command)),
  });
  if (run.planning?.design != null)
    files[`${folder}/${designFileOf(run.planText)}`] = withStatus(run.planning.design, designStatusOf(run));
  for (const [place, [stage, { plan }]] of [...run.stages].entries()) {
    files[`${folder}/${unitName(place, run.stages.size, stage)}`] = renderUnit(plan);
    files[`${folder}/reports/${stage}.md`] = renderStageReport(run, stage);
  }
  for (const [name, text] of Object.entries(await engine.files.readReports(run.id)))
    files[`${folder}/reports/${name}.md`] = text;
  return files;
}
