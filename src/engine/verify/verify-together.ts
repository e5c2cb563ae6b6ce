import type { Sha } from "../../core/ids.ts";
import { type Criteria, criteriaFor } from "../../core/verify/criteria.ts";
import { judgeAll } from "../../core/verify/judge-strictly.ts";
import type { Verdict } from "../../core/verify/verdict.ts";
import { throwIfInterrupted } from "../attempt/interrupted.ts";
import { compareGateWithBase, hasFolder } from "./check-base.ts";
import { checkCommands, checkSetup } from "./check-command.ts";
import { type CheckDeps, inCleanTree } from "./check-scene.ts";
import {
  type CommandsRun,
  countOwn,
  judgeCommit,
  missingFolder,
  NOTHING_RUN,
  runOwn,
  type VerifyRequest,
} from "./verify-commit.ts";

/** One of several commits that stand on each other. Each is shown by what it changes on top of the one before. */
export type Member = { readonly deps: CheckDeps; readonly request: VerifyRequest };

/**
 * Proves commits that stand on each other where the last of them is: what each stage asks for is run there, the set-up and the
 * project's gate once for all. They have to agree in both (`proofConditions`). What fails says that something among them is
 * wrong, and not which: whoever asked tries fewer of them then. One verdict each, in their order.
 */
export async function verifyTogether(members: readonly Member[], base: Sha): Promise<Verdict[]> {
  const all = members.map((one) => ({
    ...one,
    criteria: criteriaFor(one.request.plan, one.request.stage, one.request.gate),
  }));
  const [first] = all;
  const tip = all.at(-1)?.request.commit;
  if (first === undefined || tip === undefined) return [];
  throwIfInterrupted(first.request.signal);
  const ran = await runTogether(all, tip);
  const gate =
    ran[0]?.kind === "ran"
      ? await compareGateWithBase(first.deps, first.request, base, first.criteria, ran[0].gate)
      : [];
  const verdicts: Verdict[] = [];
  for (const [index, { deps, request, criteria }] of all.entries()) {
    const verdict = await judgeCommit(deps, request, criteria, ran[index] ?? NOTHING_RUN, gate);
    verdicts.push(judgeAll(verdict, request.strictness ?? "normal"));
  }
  return verdicts;
}

type Prepared = Member & { readonly criteria: Criteria };

async function runTogether(all: readonly Prepared[], tip: Sha): Promise<CommandsRun[]> {
  const [first] = all;
  const own = all.reduce((sum, { criteria }) => sum + countOwn(criteria), 0);
  if (first === undefined || own + first.criteria.gate.length === 0) return all.map(() => NOTHING_RUN);
  const { workingDir, setup: commands, gate: project } = first.criteria;
  const checks = own + project.length;
  const misplaced = own > 0 ? await missingFolder(first.deps, tip, workingDir) : null;
  return inCleanTree(first.deps, first.request, { commit: tip, checks }, async (scene) => {
    if (workingDir === null || misplaced) {
      const gate = await checkCommands(scene, ".", project);
      return all.map(({ criteria }) => ({
        ...NOTHING_RUN,
        misplaced: countOwn(criteria) > 0 ? misplaced : null,
        gate,
      }));
    }
    const canSetUp = own > 0 || (await hasFolder(first.deps, tip, workingDir));
    const setup = canSetUp ? await checkSetup(scene, workingDir, commands) : null;
    if (setup?.outcome === "failed") return all.map(() => ({ kind: "set-up-failed", setup }) as const);
    const ran = [];
    for (const { request, criteria } of all)
      ran.push(await runOwn({ ...scene, order: request }, workingDir, criteria));
    const gate = await checkCommands(scene, ".", project);
    return ran.map((one) => ({ ...NOTHING_RUN, setup, ...one, gate }));
  });
}
