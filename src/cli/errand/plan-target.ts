import { access, constants, lstat, mkdir, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Errand } from "../../core/errand/errand.ts";
import type { ErrandOutcome } from "../../core/errand/errand-events.ts";
import { messageOf, UserError } from "../../core/errors.ts";
import { designNameFor, designRef } from "../../core/planning/design-ref.ts";
import { localErrandTexts } from "../../core/report/local-errand-texts.ts";
import type { Io } from "../io.ts";
import { readPlanFile } from "../read-plan-file.ts";

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
    throw refusal(localErrandTexts.outIsFolder(out || "."), localErrandTexts.outIsFolderNext(out || "."));
  const files = wish.designs ? [path, join(dirname(path), designNameFor(path))] : [path];
  for (const name of wish.force ? [] : files) {
    // A link that leads nowhere is in the way as well.
    if (await lstat(name).catch(() => null))
      throw refusal(
        localErrandTexts.outIsThere(join(dirname(out), basename(name))),
        localErrandTexts.outIsThereNext(name === path && (await isPlan(io, out)) ? out : null),
      );
  }
  const trouble = there ? await findUnwritable(path) : await findClosed(dirname(path));
  if (trouble !== null)
    throw refusal(localErrandTexts.outIsUnwritable(out, trouble), localErrandTexts.outIsUnwritableNext());
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
    if (!(await stat(folder)).isDirectory()) return localErrandTexts.noFolder(folder);
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

/** Nothing is lost when it fails: the plan stands in the errand's ledger, and the same command writes it. */
export async function writePlanFiles(
  { out, path, force }: PlanTarget,
  errand: Errand,
  text: string,
): Promise<ErrandOutcome> {
  const flag = force ? "w" : "wx";
  const ref = designRef(errand);
  try {
    await makeFolder(dirname(path));
    if (errand.design && ref !== null)
      await writeFile(join(dirname(path), ref), errand.design.document, { flag });
    await writeFile(path, text, { flag });
  } catch (error) {
    throw new UserError(whyLost(out, error), {
      next: localErrandTexts.outLostNext(),
      cause: error,
    });
  }
  return { kind: "written", path };
}

function whyLost(out: string, error: unknown): string {
  const { code, path }: NodeJS.ErrnoException = error instanceof Error ? error : new Error(String(error));
  return code === "EEXIST" && path !== undefined
    ? localErrandTexts.outAppeared(join(dirname(out), basename(path)))
    : localErrandTexts.outLost(out, messageOf(error));
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
export function designOut({ out }: PlanTarget, errand: Errand): string | null {
  const ref = designRef(errand);
  return ref === null ? null : join(dirname(out), ref);
}
