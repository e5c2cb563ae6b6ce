import { type StageId, toId } from "../../ids.ts";
import { resolveInTree } from "../../paths/tree-path.ts";
import { quote } from "../../text/quote.ts";
import { agentName } from "../agent-profile.ts";
import {
  DEFAULT_CONTEXT_BUDGET,
  MAX_CONTEXT_BUDGET,
  type RegressionTest,
  type StagePlan,
  type WiringCheck,
} from "../plan.ts";
import type { Reporter } from "../report-problems.ts";
import { LABEL_RULE, runnerLabel } from "../runner-label.ts";
import type { WrittenStage } from "../schema.ts";
import { pickOne } from "./pick-one.ts";
import { readChecks } from "./read-checks.ts";
import { readSandbox } from "./read-sandbox.ts";
import { readEffort, readType } from "./read-words.ts";
import type { Path } from "./read-yaml.ts";

export type StageContext = {
  readonly at: Path;
  readonly id: StageId;
  readonly dependencies: readonly StageId[];
  readonly origin: "loom" | "elsewhere";
  readonly reporter: Reporter;
  readonly checkPattern: (source: string) => string | null;
  /** A run has the plan already. */
  readonly isRecorded: boolean;
};

export type ReadStage = {
  readonly stage: StagePlan;
  /** The files of the stage as seen from the root, for comparing them with those of others. */
  readonly owned: readonly { readonly path: string; readonly at: Path }[];
};

/** A stage whose shape is right, with one spelling for everything and nothing left open. */
export function readStage(written: WrittenStage, context: StageContext): ReadStage {
  const { at, id, reporter } = context;
  const pick = pickOne(written, at, reporter);
  const workingDir = readFolder(written.working_dir ?? ".", context);
  const paths = createPathReader(workingDir, context);
  const files = [
    ...paths("files", written.files),
    ...paths("files_to_modify", written.files_to_modify),
    ...paths("files_to_create", written.files_to_create),
  ];
  const checks = (field: "acceptance" | "validation" | "truths" | "truth_checks" | "wiring_tests") =>
    readChecks(written[field], [...at, field], reporter);
  const given = (name: keyof WrittenStage & string, other: string) =>
    written[name] === undefined ? other : name;
  pick("dependencies", "depends_on", "blocked_by");

  const stage: StagePlan = {
    id,
    name: (pick("name", "title") ?? id).trim() || id,
    description: pick("description", "objective") ?? "",
    dependencies: context.dependencies,
    agent: readAgent(written, context),
    harness: written.harness ?? null,
    model: written.model ?? null,
    effort: readEffort(
      pick("effort", "reasoning_effort"),
      [...at, given("effort", "reasoning_effort")],
      reporter,
    ),
    type: readType(pick("stage_type", "type"), [...at, given("stage_type", "type")], context),
    files: [...new Set(files.map(({ path }) => path))],
    workingDir,
    setup: written.setup ?? [],
    acceptance: [...checks("acceptance"), ...checks("validation")],
    truths: [...checks("truths"), ...checks("truth_checks"), ...checks("wiring_tests")],
    artifacts: paths("artifacts", written.artifacts).map(({ path }) => path),
    wiring: readWiring(written, workingDir, context),
    before: readChecks(pick("before", "before_stage"), [...at, given("before", "before_stage")], reporter),
    after: readChecks(pick("after", "after_stage"), [...at, given("after", "after_stage")], reporter),
    bugFix: written.bug_fix ?? false,
    regressionTest: readRegression(written, workingDir, context),
    contextBudget: readContextBudget(written.context_budget, context),
    timeoutSecs: pick("timeout_secs", "timeout") ?? null,
    noProgressSecs: written.no_progress_secs ?? null,
    retries: pick("retries", "max_retries") ?? null,
    runsOn: readRunner(written.runs_on, context),
    sandbox: readSandbox(written.sandbox, [...at, "sandbox"], reporter),
    critical: pick("critical", "is_critical_path") ?? false,
    synthesis: pick("synthesis", "is_synthesis") ?? false,
    allowNoChange: written.allow_no_change ?? false,
    line: reporter.lineOf(at) ?? 1,
  };
  return { stage, owned: files.map((file) => ({ path: file.fromRoot, at: file.at })) };
}

/** A plan that is run already was read when labels were not looked at, and its jobs went where the nearest label is. */
function readRunner(written: string | undefined, { at, reporter, isRecorded }: StageContext): string | null {
  const label = written === undefined ? null : runnerLabel(written);
  if (written === undefined || label !== null) return label;
  if (isRecorded) return toId(written);
  const near = toId(written);
  reporter.error(
    [...at, "runs_on"],
    `\`runs_on\` ${LABEL_RULE}, but is ${quote(written)}.`,
    near === null ? "Write, for example, `runs_on: linux`." : `Write \`runs_on: ${near}\`.`,
  );
  return null;
}

type PlacedPath = { readonly path: string; readonly fromRoot: string; readonly at: Path };

function createPathReader(workingDir: string, { at, reporter }: StageContext) {
  return (field: string, written: readonly string[] | undefined): PlacedPath[] =>
    (written ?? []).flatMap((path, index) => {
      const place = [...at, field, index];
      const resolved = resolveInTree(workingDir, path);
      if (resolved.kind === "inside")
        return [{ path: resolved.path, fromRoot: resolved.fromRoot, at: place }];
      reportPath(place, field, path, resolved.reason, reporter);
      return [];
    });
}

function readFolder(written: string, { at, reporter }: StageContext): string {
  const resolved = resolveInTree(".", written);
  if (resolved.kind === "inside") return resolved.path.replace(/(?<!\/)\/+$/, "") || ".";
  reportPath([...at, "working_dir"], "working_dir", written, resolved.reason, reporter);
  return ".";
}

function readOnePath(
  field: Path,
  written: string,
  workingDir: string,
  { at, reporter }: StageContext,
): string {
  const resolved = resolveInTree(workingDir, written);
  if (resolved.kind === "inside") return resolved.path;
  reportPath([...at, ...field], String(field.at(-1)), written, resolved.reason, reporter);
  return written;
}

function reportPath(at: Path, field: string, path: string, reason: string, reporter: Reporter): void {
  const shown = path.length > 80 ? `${path.slice(0, 80)}…` : path;
  reporter.error(
    at,
    shown.trim() === "" ? `A path under \`${field}\` is empty.` : `\`${shown}\` ${reason}.`,
    "Write a path inside the work tree, such as `src/auth`.",
  );
}

function readAgent(written: WrittenStage, { at, reporter }: StageContext): string | null {
  const several = written.agents ?? [];
  if (written.agent !== undefined && several.length > 0) {
    reporter.error([...at, "agents"], "`agent` and `agents` mean the same.", "Keep `agent`.");
  } else if (several.length > 1) {
    reporter.warning(
      [...at, "agents"],
      `One agent works on a stage; Loom takes the first, \`${several[0]}\`.`,
      "Name one `agent`, or split the stage.",
    );
  }
  const named = written.agent ?? several[0];
  return named === undefined ? null : agentName(named);
}

function readContextBudget(written: number | undefined, { at, reporter }: StageContext): number {
  if (written === undefined || written <= MAX_CONTEXT_BUDGET) return written ?? DEFAULT_CONTEXT_BUDGET;
  reporter.warning(
    [...at, "context_budget"],
    `A context budget of ${written} percent is taken as ${MAX_CONTEXT_BUDGET}.`,
    `Write ${MAX_CONTEXT_BUDGET} or less.`,
  );
  return MAX_CONTEXT_BUDGET;
}

function readWiring(written: WrittenStage, workingDir: string, context: StageContext): WiringCheck[] {
  return (written.wiring ?? []).map(({ source, pattern, description, literal }, index) => {
    const regex = literal ? pattern.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") : pattern;
    const wrong = context.checkPattern(regex);
    if (wrong !== null) {
      context.reporter.error(
        [...context.at, "wiring", index, "pattern"],
        wrong,
        "Fix the regular expression, or add `literal: true` to look for the text as it is.",
      );
    }
    return {
      source: readOnePath(["wiring", index, "source"], source, workingDir, context),
      pattern: regex,
      description: description ?? null,
    };
  });
}

function readRegression(
  { regression_test: written }: WrittenStage,
  workingDir: string,
  context: StageContext,
): RegressionTest | null {
  if (!written) return null;
  if (written.file === undefined && written.command === undefined) {
    context.reporter.error(
      [...context.at, "regression_test"],
      "The regression test names neither a file nor a command.",
      "Add `file:`, `command:` or both.",
    );
  }
  return {
    file:
      written.file === undefined
        ? null
        : readOnePath(["regression_test", "file"], written.file, workingDir, context),
    mustContain: written.must_contain ?? [],
    command: written.command ?? null,
  };
}
