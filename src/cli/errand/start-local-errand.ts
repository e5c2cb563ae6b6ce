import { readSettings } from "../../core/config/settings.ts";
import type { Errand } from "../../core/errand/errand.ts";
import type { ErrandCreated, PlanWish, Remark } from "../../core/errand/errand-events.ts";
import type { ErrandKind } from "../../core/errand/errand-kinds.ts";
import { routeOfErrand } from "../../core/errand/errand-role.ts";
import { planningSecs } from "../../core/errand/planning-time.ts";
import { UserError } from "../../core/errors.ts";
import type { Sha } from "../../core/ids.ts";
import { configTexts } from "../../core/report/config-texts.ts";
import { localErrandTexts } from "../../core/report/local-errand-texts.ts";
import type { RunSettings } from "../../core/run/run-settings.ts";
import { shortLine } from "../../core/session/cut-text.ts";
import { assertHarness } from "../../engine/check-harnesses.ts";
import { timestamp } from "../../engine/engine.ts";
import { forgetOldErrands } from "../../engine/errand/forget-errands.ts";
import type { Local } from "../../wiring/local.ts";
import { explain, type Io, warn } from "../io.ts";
import { formatLocalMoment } from "../output/local-moment.ts";
import { assertTreesFolder } from "../trees-folder.ts";
import { usableConfig } from "../usable-config.ts";

export type LocalErrand = {
  readonly kind: ErrandKind;
  /** The person's words; their first line names a plan. */
  readonly text: string;
  readonly thread: readonly Remark[];
  readonly commit: Sha;
  /** Where the change begins that is looked at; null: all that is there is. */
  readonly from: Sha | null;
  readonly plan: PlanWish | null;
  readonly harness: string | null;
  /** Whether one that was cut off is left alone. */
  readonly fresh?: boolean;
};

/** Writes down what one agent is to do in this repository; nobody but the person at the terminal has a say in it. */
export async function startLocalErrand(io: Io, local: Local, wish: LocalErrand): Promise<Errand> {
  const { engine } = local;
  const reading = await local.readConfig();
  const { planner, commands } = usableConfig(reading);
  const settings = await settingsFor(io, local, wish);
  for (const problem of reading.problems) explain(io, configTexts.warning(problem), null);
  const plans = wish.kind === "plan";
  const before = plans && !wish.fresh ? await findUnfinished(local, wish, settings.harness) : null;
  if (before) {
    warn(io, localErrandTexts.goesOn(formatLocalMoment(Date.parse(before.createdAt))));
    return before;
  }
  await forgetOldErrands(engine);
  const id = `${wish.kind}-${engine.newId().slice(0, 8)}`;
  const created: ErrandCreated = {
    type: "errand-created",
    at: timestamp(engine),
    errand: id,
    kind: wish.kind,
    origin: null,
    isPull: false,
    comment: null,
    role: "admin",
    text: wish.text,
    title: plans ? shortLine(wish.text.split("\n")[0] ?? "", 120) : "",
    body: "",
    thread: [...wish.thread],
    target: local.repository.currentBranch ?? "HEAD",
    commit: wish.commit,
    scope: wish.from === null ? null : { from: wish.from, pr: null },
    run: null,
    plan: wish.plan,
    settings,
    budgetUsd: plans ? planner.budgetUsd : commands.budgetUsd,
    budgetBy: [plans ? "planner.budget_usd" : "commands.budget_usd"],
    timeoutSecs: plans ? planningSecs(settings) : commands.timeoutSecs,
  };
  const errand = await engine.errands.create(id, [created]);
  if (!errand) throw new UserError(localErrandTexts.nameTaken());
  return errand;
}

/** All that could stand in the agent's way is found out before anything is written down. */
export async function settingsFor(
  io: Io,
  local: Local,
  { kind, harness: asked }: Pick<LocalErrand, "kind" | "harness">,
): Promise<RunSettings> {
  const flags = { harness: asked, maxParallel: null };
  const { settings, warnings } = readSettings(io.env, flags, { maxParallel: null });
  const { harness } = routeOfErrand({ kind, assessment: null, settings });
  await assertHarness(local.engine, harness);
  await assertTreesFolder(local.treesFolder);
  for (const text of [...warnings, ...local.rosterWarnings]) explain(io, text, null);
  const { warning, next } = local.engine.rooms.report;
  if (warning !== null) warn(io, next === null ? warning : `${warning} ${next}`);
  return settings;
}

/** The last errand that got somewhere with the same plan from the same commit, if it was cut off there. */
async function findUnfinished(local: Local, wish: LocalErrand, harness: string): Promise<Errand | null> {
  const same = (errand: Errand): boolean =>
    (errand.assessment !== null || errand.drafts.length > 0) &&
    errand.text === wish.text &&
    errand.commit === wish.commit &&
    errand.settings.harness === harness &&
    JSON.stringify(errand.plan) === JSON.stringify(wish.plan);
  const last = (await errandsOf(local, "plan")).findLast(same);
  return last && !last.outcome ? last : null;
}

/** Those that can be read, the oldest first. */
export async function errandsOf({ engine }: Local, kind: ErrandKind): Promise<Errand[]> {
  const found: Errand[] = [];
  for (const id of await engine.errandStore.list()) {
    if (!id.startsWith(`${kind}-`)) continue;
    const errand = await engine.errands.load(id).catch(() => null);
    if (errand?.kind === kind) found.push(errand);
  }
  return found.sort((a, b) => a.createdAt.localeCompare(b.createdAt));
}
