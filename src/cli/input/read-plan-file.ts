import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, join, relative, resolve, sep } from "node:path";
import { UserError } from "../../core/errors.ts";
import type { RunId } from "../../core/ids.ts";
import type { AgentList } from "../../core/plan/plan-draft.ts";
import type { Problem } from "../../core/plan/problem.ts";
import { decodeText, MAX_PLAN_BYTES } from "../../core/plan/read/decode-text.ts";
import { type ParsedPlan, parsePlan } from "../../core/plan/read/parse-plan.ts";
import { compileUnits, type UnitFile } from "../../core/plan/read/parse-units.ts";
import { renderPlan } from "../../core/plan/render-plan.ts";
import { runIdFor } from "../../core/plan/run-id.ts";

/** A plan as it lies on disk: one document, or a folder of unit files. */
export type PlanFile = {
  /** Read when it is asked for. */
  parse(): Promise<ParsedPlan>;
  /** The bytes that identify the plan; for a folder, the one document it compiles to. */
  readonly text: string;
  readonly hash: string;
  readonly path: string;
  /** The same bytes, held against those who could do the stages: only what starts anew has to fit them. */
  parseFor(agents: AgentList): Promise<ParsedPlan>;
};

type ParseOptions = Parameters<typeof parsePlan>[1];

export async function readPlanFile(cwd: string, file: string): Promise<PlanFile> {
  // Through links, so that the file itself is known to lie in the repository and is protected there (T28).
  const path = await realpath(resolve(cwd, file)).catch((error: Error) => unreadable(file, error));
  const info = file === "" ? null : await stat(path).catch((error: Error) => unreadable(file, error));
  if (info?.isDirectory()) return readUnits(path, file);
  if (!info?.isFile()) {
    throw new UserError(`${file === "" ? "An empty name" : file} is neither a file nor a folder.`, {
      next: WHAT_A_PLAN_IS,
      exitCode: 2,
    });
  }
  const bytes = await readStart(path, file);
  const parse = (more: Partial<ParseOptions>): Promise<ParsedPlan> =>
    withPatterns((checkPattern) => parsePlan(bytes, { origin: "elsewhere", checkPattern, ...more }));
  return {
    parse: () => parse({}),
    text: bytes.toString("utf8"),
    hash: sha256(bytes),
    path,
    parseFor: (agents) => parse({ agents }),
  };
}

const WHAT_A_PLAN_IS = "Name a plan: a Markdown file with a `loom:` block, or a folder of unit files.";

function unreadable(file: string, error: NodeJS.ErrnoException): never {
  const isThere = error.code !== "ENOENT" && error.code !== "ENOTDIR";
  throw new UserError(isThere ? `${file} can't be read: ${error.message}.` : `There is no file ${file}.`, {
    next: WHAT_A_PLAN_IS,
    exitCode: 2,
    cause: error,
  });
}

/** Up to a little more than a plan may have: enough to report that it is too large, whatever the size. */
async function readStart(path: string, file: string): Promise<Buffer> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of createReadStream(path, { end: MAX_PLAN_BYTES })) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch (error) {
    return unreadable(file, error instanceof Error ? error : new Error(String(error)));
  }
}

async function readUnits(path: string, file: string): Promise<PlanFile> {
  const entries = await readdir(path).catch((error: Error) => unreadable(file, error));
  const names = entries.filter((name) => /^\d+[-_].+\.md$/i.test(name)).sort();
  if (names.length === 0) {
    throw new UserError(`The folder ${file} has no unit files.`, {
      next: "Unit files are named like 01-first-step.md.",
      exitCode: 2,
    });
  }
  const units: UnitFile[] = [];
  const problems: Problem[] = [];
  for (const name of names) {
    const decoded = decodeText(await readStart(join(path, name), join(file, name)));
    if (decoded.kind === "text") units.push({ name, text: decoded.text });
    else problems.push({ ...decoded.problem, path: name });
  }
  const parse = (more: Partial<ParseOptions>): Promise<ParsedPlan> =>
    withPatterns((checkPattern) =>
      problems.length > 0
        ? { plan: null, graph: null, problems }
        : compileUnits(units, { origin: "elsewhere", checkPattern, ...more }),
    );
  const parsed = await parse({});
  const text = parsed.plan ? renderPlan(parsed.plan) : "";
  return {
    parse: async () => parsed,
    text,
    hash: sha256(Buffer.from(text)),
    path,
    parseFor: (agents) => parse({ agents }),
  };
}

/**
 * The engine of patterns is a fifth of the code that a check of a plan takes, and few plans have a pattern: it is loaded once
 * one is met, and the plan read again.
 */
async function withPatterns(
  parse: (checkPattern: (source: string) => string | null) => ParsedPlan,
): Promise<ParsedPlan> {
  let isNeeded = false;
  const parsed = parse(() => {
    isNeeded = true;
    return null;
  });
  if (!isNeeded) return parsed;
  const { checkPattern } = await import("../../wiring/check-pattern.ts");
  return parse(checkPattern);
}

/** The same plan has the same id wherever the repository was cloned to. */
export function idOf(plan: PlanFile, root: string | null): RunId {
  const inside = root !== null && !relative(root, plan.path).startsWith("..");
  const label = inside ? relative(root, plan.path) : plan.path.split(sep).slice(-2).join("/");
  return runIdFor((label || basename(plan.path)).split(sep).join("/"), plan.hash);
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
