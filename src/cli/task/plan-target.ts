import { access, constants, lstat, mkdir, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { messageOf, UserError } from "../../core/errors.ts";
import { designNameFor, designRef } from "../../core/planning/design-ref.ts";
import { localTaskTexts } from "../../core/report/commands/local-task-texts.ts";
import type { Task } from "../../core/task/task.ts";
import type { TaskOutcome } from "../../core/task/task-events.ts";
import { readPlanFile } from "../input/read-plan-file.ts";
import type { Io } from "../io.ts";

/** Where a new plan goes. */
export type PlanTarget = {
  /** As the person named it. */
  readonly out: string;
  readonly path: string;
  /** All that may be written: the plan, and a design beside it. */
  readonly files: readonly string[];
  readonly force: boolean;
};

export type TargetWish = {
  readonly out: string | null;
  readonly force: boolean;
  /** Whether a design may come along, which needs a file of its own. */
  readonly designs: boolean;
};

const USUAL_OUT = "PLAN.md";

/** All that could stand in the way is looked at before an agent is paid for a plan. */
export async function choosePlanTarget(io: Io, wish: TargetWish): Promise<PlanTarget> {
  const out = wish.out ?? USUAL_OUT;
  const path = resolve(io.cwd, out);
  const there = await stat(path).catch(() => null);
  if (there?.isDirectory() || out.endsWith("/") || out === "")
    throw refusal(localTaskTexts.outIsFolder(out || "."), localTaskTexts.outIsFolderNext(out || "."));
  const files = wish.designs ? [path, join(dirname(path), designNameFor(path))] : [path];
  for (const name of wish.force ? [] : files) {
    // A link that leads nowhere is in the way as well.
    if (await lstat(name).catch(() => null))
      throw refusal(
        localTaskTexts.outIsThere(join(dirname(out), basename(name))),
        localTaskTexts.outIsThereNext(name === path && (await isPlan(io, out)) ? out : null),
      );
  }
  const trouble = there ? await findUnwritable(path) : await findClosed(dirname(path));
  if (trouble !== null)
    throw refusal(localTaskTexts.outIsUnwritable(out, trouble), localTaskTexts.outIsUnwritableNext());
  return { out, path, files, force: wish.force };
}

function refusal(message: string, next: string): UserError {
  return new UserError(message, { next, exitCode: 2 });
}

/** Whether somebody who says the same again could run what is there. */
async function isPlan(io: Io, file: string): Promise<boolean> {
  return readPlanFile(io.cwd, file).then(
    async (plan) => (await plan.parse()).plan !== null,
    () => false,
  );
}

async function findUnwritable(path: string): Promise<string | null> {
  return access(path, constants.W_OK).then(
    () => null,
    (error: unknown) => messageOf(error),
  );
}

/** A folder that is missing is made later; the first one that is there has to allow it. */
async function findClosed(folder: string): Promise<string | null> {
  try {
    if (!(await stat(folder)).isDirectory()) return localTaskTexts.noFolder(folder);
    await access(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const parent = dirname(folder);
    return isMissing(error) && parent !== folder ? findClosed(parent) : messageOf(error);
  }
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return code === "ENOENT" || code === "ENOTDIR";
}

/** Nothing is lost when it fails: the plan stands in the task's ledger, and the same command writes it. */
export async function writePlanFiles(
  { out, path, force }: PlanTarget,
  task: Task,
  text: string,
): Promise<TaskOutcome> {
  const flag = force ? "w" : "wx";
  const ref = designRef(task);
  try {
    await makeFolder(dirname(path));
    if (task.design && ref !== null)
      await writeFile(join(dirname(path), ref), task.design.document, { flag });
    await writeFile(path, text, { flag });
  } catch (error) {
    throw new UserError(whyLost(out, error), {
      next: localTaskTexts.outLostNext(),
      cause: error,
    });
  }
  return { kind: "written", path };
}

function whyLost(out: string, error: unknown): string {
  const { code, path }: NodeJS.ErrnoException = error instanceof Error ? error : new Error(String(error));
  return code === "EEXIST" && path !== undefined
    ? localTaskTexts.outAppeared(join(dirname(out), basename(path)))
    : localTaskTexts.outLost(out, messageOf(error));
}

/** One by one: where a file system denies that a folder exists in which it makes none, `recursive` never ends. */
async function makeFolder(folder: string): Promise<void> {
  if (await stat(folder).catch(() => null)) return;
  await makeFolder(dirname(folder));
  await mkdir(folder).catch(async (error: unknown) => {
    if (!(await stat(folder).catch(() => null))) throw error;
  });
}

/** The design as the person would name it; null: there is none. */
export function designOut({ out }: PlanTarget, task: Task): string | null {
  const ref = designRef(task);
  return ref === null ? null : join(dirname(out), ref);
}
