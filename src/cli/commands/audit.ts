import type { Audit } from "../../core/command/task-kinds.ts";
import { gravity, type Severity } from "../../core/findings/severity.ts";
import { auditJson, renderAudit } from "../../core/report/commands/audit-report.ts";
import { localTaskTexts } from "../../core/report/commands/local-task-texts.ts";
import type { Task } from "../../core/task/task.ts";
import { openLocal } from "../../wiring/local.ts";
import { type Io, say, warn } from "../io.ts";
import { wantsColor } from "../output/wants-color.ts";
import { wrapFor } from "../output/wrap-for.ts";
import { findLocalChange } from "../task/local-change.ts";
import { seeThrough } from "../task/see-through.ts";
import { startLocalTask } from "../task/start-local-task.ts";
import { refuseToPlan } from "../task/terminal-channel.ts";
import { wordsOf } from "../task/words-of.ts";
import { userOf } from "./run.ts";

export type AuditOptions = {
  readonly base: string | null;
  readonly harness: string | null;
  /** The mildest finding that makes it fail; null: none does. */
  readonly failOn: Severity | null;
  readonly json: boolean;
};

/** `loom review` and its like: one agent looks at the change before the person, or at all of it, and tells what it found. */
export async function audit(
  io: Io,
  kind: Audit,
  words: readonly string[],
  options: AuditOptions,
): Promise<number> {
  const text = await wordsOf(io, words);
  const local = await openLocal({ cwd: io.cwd, env: io.env, feed: () => {}, runsAgents: true });
  try {
    const change = await findLocalChange(local, options.base);
    const { commit, from } = change;
    const task = await startLocalTask(io, local, {
      kind,
      text,
      thread: [],
      commit,
      from,
      plan: null,
      harness: options.harness,
    });
    warn(io, wrapFor(io.stderr, localTaskTexts.lookingAt(change)));
    const wish = { answers: null, asks: false, user: userOf(io), writePlan: refuseToPlan };
    const done = await seeThrough(io, local, task, wish);
    io.keptIn?.(local.tasks.ledgerFile(done.id));
    if (options.json) say(io, JSON.stringify(auditJson(done)));
    else say(io, wrapFor(io.stdout, renderAudit(done, { color: wantsColor(io.stdout, io.env) }).trimEnd()));
    return exitCodeOf(io, done, options.failOn);
  } finally {
    await local.close();
  }
}

function exitCodeOf(io: Io, { outcome, result }: Task, failOn: Severity | null): number {
  if (outcome?.kind !== "audited") return 1;
  const grave =
    failOn === null
      ? []
      : (result?.findings ?? []).filter(({ severity }) => gravity(severity) >= gravity(failOn));
  if (failOn === null || grave.length === 0) return 0;
  warn(io, localTaskTexts.failsOn(grave.length, failOn));
  return 1;
}
