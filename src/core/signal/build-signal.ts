import type { Failure } from "../failure/failure.ts";
import type { CommandCheck, StagePlan, StageType } from "../plan/plan.ts";
import { type Run, type StageRecord, stageOf } from "../run/run.ts";

/**
 * The text a session is started with, in four sections ordered by how seldom they change, so that a model's cache can
 * keep the front: rules for this kind of session, then the plan, then the assignment, and last what to do right now.
 */
export type SignalKind = "stage" | "retry" | "recovery" | "merge-conflict";

/** The unchanging first section per kind of session; they stand in `prompts/stages/`. */
export type SignalTexts = Readonly<Record<StageType | "recovery" | "merge-conflict", string>>;

export type SignalContext = {
  readonly kind: SignalKind;
  /** What the stage has changed so far against its base, as a diff that was cut where necessary. */
  readonly changedSoFar: string | null;
  readonly conflict: {
    readonly files: readonly string[];
    readonly ours: string;
    readonly theirs: string;
  } | null;
};

export function buildSignal(texts: SignalTexts, run: Run, stage: string, context: SignalContext): string {
  const record = stageOf(run, stage);
  const { plan } = record;
  const first =
    context.kind === "merge-conflict" || context.kind === "recovery" ? texts[context.kind] : texts[plan.type];
  const sections = [
    first.trim(),
    planOverview(run, stage),
    assignment(run, plan),
    context.conflict ? conflict(context.conflict) : null,
    context.kind === "retry" || (context.conflict && lastSessionFailed(record))
      ? lastFailure(record.failures.at(-1) ?? null)
      : null,
    context.changedSoFar ? soFar(context.changedSoFar) : null,
    dialogue(record.dialogue),
    recitation(plan, context.kind),
  ];
  return `${sections.filter((section) => section !== null && section !== "").join("\n\n")}\n`;
}

/** A conflict session that failed is told why; a failure from before the conflict is no concern of the next one. */
function lastSessionFailed({ failures, session }: StageRecord): boolean {
  const last = failures.at(-1);
  return last !== undefined && session !== null && last.at >= Date.parse(session.startedAt);
}

function planOverview(run: Run, current: string): string {
  const lines = run.graph.order.slice(0, 60).map((id) => {
    const { plan, state } = stageOf(run, id);
    const status =
      state.kind === "completed"
        ? "merged"
        : id === current
          ? "this stage"
          : state.kind === "skipped"
            ? "skipped"
            : "not merged";
    return `- ${id}: ${oneLine(plan.name)} (${status})`;
  });
  const more = run.graph.order.length - lines.length;
  if (more > 0) lines.push(`- and ${more} more`);
  return `## The plan\n\n${run.plan.name ? `${oneLine(run.plan.name)}\n\n` : ""}${lines.join("\n")}`;
}

function assignment(run: Run, plan: StagePlan): string {
  const parts = [`## Your stage: ${plan.id}`, `**${oneLine(plan.name)}**`];
  if (plan.description.trim()) parts.push(plan.description.trim());
  if (plan.workingDir !== ".") parts.push(`Work in the folder \`${plan.workingDir}\`.`);
  if (plan.files.length > 0) parts.push(`Files you own:\n${bullets(plan.files)}`);
  const merged = plan.dependencies.flatMap((id) => {
    const { files, state } = stageOf(run, id);
    return state.kind === "completed" && files.length > 0
      ? [`${id} changed ${files.slice(0, 12).join(", ")}`]
      : [];
  });
  if (merged.length > 0) parts.push(`What you build on is merged already:\n${bullets(merged)}`);
  parts.push(proof(run, plan));
  return parts.join("\n\n");
}

function proof(run: Run, plan: StagePlan): string {
  const checks = [...plan.acceptance, ...plan.truths, ...plan.after, ...run.gate].map(describeCheck);
  checks.push(...plan.artifacts.map((glob) => `\`${glob}\` exists and is a real implementation`));
  checks.push(
    ...plan.wiring.map(
      (wire) =>
        `\`${wire.source}\` matches \`${wire.pattern}\`${wire.description ? ` (${oneLine(wire.description)})` : ""}`,
    ),
  );
  if (checks.length === 0) return "The plan names no check for this stage; a person will read the change.";
  return `Loom will check on a clean checkout of your change:\n${bullets(checks)}`;
}

function describeCheck(check: CommandCheck): string {
  const expected = check.exitCode === 0 ? "" : ` exits with ${check.exitCode}`;
  const output =
    check.stdoutContains.length > 0
      ? `, printing ${check.stdoutContains.map((text) => `"${oneLine(text)}"`).join(" and ")}`
      : "";
  return `\`${oneLine(check.command)}\`${expected}${output}${check.description ? ` (${oneLine(check.description)})` : ""}`;
}

function conflict(sides: NonNullable<SignalContext["conflict"]>): string {
  return [
    `## The conflict\n\nFiles with conflict markers:\n${bullets(sides.files)}`,
    `What this stage changed:\n${fence(sides.ours, "diff")}`,
    `What was merged meanwhile:\n${fence(sides.theirs, "diff")}`,
  ].join("\n\n");
}

function lastFailure(failure: Failure | null): string | null {
  if (!failure) return null;
  return `## Why the last attempt did not get through\n\n${failure.message}${failure.evidence ? `\n\n${fence(failure.evidence, "")}` : ""}`;
}

function soFar(diff: string): string {
  return `## Already changed\n\nYour work tree holds this. Build on it; change it where it is wrong.\n\n${fence(diff, "diff")}`;
}

function dialogue(entries: readonly { question: string; answer: string | null }[]): string | null {
  const answered = entries.filter((one) => one.answer !== null);
  if (answered.length === 0) return null;
  return `## Answers to your questions\n\n${answered.map((one) => `Question: ${one.question}\nAnswer: ${one.answer}`).join("\n\n")}`;
}

function recitation(plan: StagePlan, kind: SignalKind): string {
  const now =
    kind === "merge-conflict"
      ? "Resolve every conflict marker so that both changes keep their purpose."
      : kind === "retry"
        ? "Mend what failed, and nothing else."
        : kind === "recovery"
          ? "Look at what is there, then go on to the end."
          : "Do this stage, the whole of it, and nothing of the others.";
  return `## Now\n\n${now} Stage: ${plan.id}, ${oneLine(plan.name)}.`;
}

function bullets(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** A fence that the text inside can't close. */
function fence(text: string, language: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), (run) => run[0].length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}${language}\n${text.replace(/\n+$/, "")}\n${ticks}`;
}
