import type { RunId } from "../core/ids.ts";
import { renderAbout } from "../core/report/about-file.ts";
import { renderHistory } from "../core/report/history-lines.ts";
import { renderProgress } from "../core/report/progress-file.ts";
import { renderStageReport } from "../core/report/stage-report.ts";
import { renderUnit, unitName } from "../core/report/unit-file.ts";
import type { Run } from "../core/run/run.ts";
import { renderGateScript } from "../core/verify/synthesize-gate.ts";
import type { Engine } from "./engine.ts";
import { timestamp } from "./engine.ts";

/**
 * Puts the run's documents into the repository as one closing commit, so that they travel with the code. The stages'
 * own commits stay free of bookkeeping: any of them can be reverted without touching the others. Branches and work trees
 * go before the ledger says that all is done, so that a crash at any point leaves nothing of them for good.
 */
export async function recordRun(engine: Engine, id: RunId): Promise<void> {
  const run = await engine.book.get(id);
  if (run.status !== "completed" || run.recorded) return;
  const forge = await engine.forgeFor(run);
  const outcome = await forge.record({
    run: id,
    files: await documents(engine, run),
    message: `Record the run ${id}`,
  });
  if (outcome.kind === "held") {
    notice(engine, id, `${outcome.reason} ${outcome.next}`);
    return;
  }
  await forge.cleanUp(id, []);
  await engine.workspaceFor(run).dispose();
  await engine.book.write(id, (current) =>
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

async function documents(engine: Engine, run: Run): Promise<Record<string, string>> {
  const folder = `.loom/${run.id}`;
  const { events } = await engine.store.load(run.id);
  const files: Record<string, string> = {
    [`${folder}/PLAN.md`]: run.planText,
    [`${folder}/about.md`]: renderAbout(run),
    [`${folder}/PROGRESS.md`]: renderProgress(run),
    [`${folder}/history.jsonl`]: renderHistory(events),
    [`${folder}/gate`]: renderGateScript(run.gate.map((check) => check.command)),
  };
  for (const [place, [stage, { plan }]] of [...run.stages].entries()) {
    files[`${folder}/${unitName(place, run.stages.size, stage)}`] = renderUnit(plan);
    files[`${folder}/reports/${stage}.md`] = renderStageReport(run, stage);
  }
  for (const [name, text] of Object.entries(await engine.files.readReports(run.id)))
    files[`${folder}/reports/${name}.md`] = text;
  return files;
}
