import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { messageOf, UserError } from "../core/errors.ts";
import { runLabel } from "../core/plan/run-id.ts";
import type { PromptTexts } from "../core/prompt/prompt-texts.ts";
import { packageRoot } from "./folders/package-root.ts";
import { userFolder } from "./folders/user-folder.ts";
import { gatherProblems } from "./settings/gather-problems.ts";

/** Loom's rules of safety. Whoever may push to a repository must not take them from those who run Loom in it. */
const OWN_RULES: ReadonlySet<string> = new Set(["common/every-session.md", "tasks/common.md"]);

export type PromptSources = {
  /** Of the user's own, the strongest last. */
  readonly folders: readonly string[];
  /** That of the plan in its repository, which comes before them. */
  readonly ofPlan?: PlanPrompts | null;
};

export type PlanPrompts = { readonly repository: string; readonly folder: string };

/** By their names: what a repository says in Loom's place, and what it would like to. */
export type ReplacedPrompts = { readonly used: readonly string[]; readonly refused: readonly string[] };

/** All that Loom says to models. */
export function loadPromptTexts(sources: PromptSources = { folders: [] }): PromptTexts {
  return readPrompts(sources).texts;
}

export function findReplacedPrompts(ofPlan: PlanPrompts | null): ReplacedPrompts {
  return readPrompts({ folders: [], ofPlan }).replaced;
}

/**
 * The prompts as files: shipped in `prompts/`, and any of them replaced by a file of the same name in one of the folders.
 * A replacement that can't be used stops the start: an agent that works by other words than somebody wrote for it is
 * worse than none.
 */
function readPrompts({ folders, ofPlan = null }: PromptSources): {
  readonly texts: PromptTexts;
  readonly replaced: ReplacedPrompts;
} {
  const shipped = join(packageRoot(), "prompts");
  const used: string[] = [];
  const refused: string[] = [];
  const readOfPlan = (name: string, places: readonly string[]): string | null => {
    if (ofPlan === null) return null;
    const path = join(ofPlan.folder, name);
    if (OWN_RULES.has(name)) {
      if (existsSync(path)) refused.push(name);
      return null;
    }
    const text = readOverride(path, places, ofPlan.repository);
    if (text !== null) used.push(name);
    return text;
  };
  const readStrongest = (name: string, places: readonly string[]): string => {
    const own = readOfPlan(name, places);
    if (own !== null) return own;
    for (const folder of folders.toReversed()) {
      const text = readOverride(join(folder, name), places);
      if (text !== null) return text;
    }
    return readFileSync(join(shipped, name), "utf8");
  };
  const problems = gatherProblems();
  const texts = readTexts((name, ...places) => problems.attempt(() => readStrongest(name, places)) ?? "");
  problems.assertNone();
  return { texts, replaced: { used, refused } };
}

function readTexts(read: (name: string, ...places: readonly string[]) => string): PromptTexts {
  return {
    standard: read("stages/standard.md"),
    knowledge: read("stages/knowledge.md"),
    "integration-verify": read("stages/integration-verify.md"),
    "code-review": read("stages/code-review.md"),
    investigate: read("stages/investigate.md"),
    reading: {
      standard: read("stages/read-only/standard.md"),
      "code-review": read("stages/read-only/code-review.md"),
      "integration-verify": read("stages/read-only/integration-verify.md"),
    },
    recovery: read("stages/recovery.md"),
    "hand-off": read("stages/hand-off.md"),
    "merge-conflict": read("stages/merge-conflict.md"),
    common: read("common/every-session.md"),
    completion: read("sessions/completion.md"),
    sessions: {
      handOffRequest: read("sessions/hand-off-request.md"),
      reportRequest: read("sessions/report-request.md", "{{missing}}"),
      completionRequest: read("sessions/completion-request.md", "{{problem}}"),
    },
    tasks: {
      common: read("tasks/common.md"),
      planning: {
        begin: read("planning/begin.md"),
        design: read("planning/design.md"),
        draft: read("planning/draft.md"),
        again: read("planning/again.md", "{{problems}}"),
        redraft: read("planning/redraft.md", "{{problems}}"),
        revise: read("planning/revise.md"),
        format: read("planning/format.md"),
      },
      ask: read("tasks/ask.md"),
      audits: {
        review: read("audits/review.md"),
        debug: read("audits/debug.md"),
        "security-audit": read("audits/security-audit.md"),
        "perf-check": read("audits/perf-check.md"),
        "seo-audit": read("audits/seo-audit.md"),
        "a11y-audit": read("audits/a11y-audit.md"),
        "compliance-check": read("audits/compliance-check.md"),
      },
      findings: read("audits/findings.md"),
      templates: {
        design: read("templates/design-document.md"),
        plan: read("templates/implementation-plan.md", "{{plan}}"),
        sessionState: read("templates/session-state.md", "{{session_id}}", "{{phases}}"),
      },
    },
    small: {
      commitMessage: read("small/commit-message.md", "{{change}}"),
      runName: read("small/run-name.md", "{{plan}}"),
    },
  };
}

/** Four of them have to leave room for the task in a prompt's budget. */
const MAX_OVERRIDE_BYTES = 12_000;

/** null when there is none. `within`: the folder that it has to lie in once links are followed. */
export function readOverride(path: string, places: readonly string[], within?: string): string | null {
  const unusable = (reason: string, next: string, cause?: unknown): UserError =>
    new UserError(`The prompt ${path} can't be used: ${reason}.`, { next, cause });
  const remove = "Write what Loom should say to agents, or remove the file.";
  let text: string;
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return null;
    // What an agent is told goes to its provider; nothing but the repository's own may get there by a link of its.
    if (within !== undefined && !realpathSync(path).startsWith(`${realpathSync(within)}${sep}`))
      throw unusable(
        "it is a link that leads out of the repository",
        "Put the file itself there, or remove it.",
      );
    // A pipe would wait for a writer for ever.
    if (!stats.isFile()) throw unusable("it is not a file", "Put a text file in its place, or remove it.");
    if (stats.size > MAX_OVERRIDE_BYTES) {
      throw unusable(`it has ${stats.size} bytes, more than ${MAX_OVERRIDE_BYTES}`, "Shorten it.");
    }
    text = new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (isMissing(error)) return null;
    if (error instanceof TypeError) throw unusable("it is not UTF-8", "Save it as UTF-8.", error);
    throw unusable(messageOf(error), "Make it readable, or remove it.", error);
  }
  if (text.trim() === "") throw unusable("it is empty", remove);
  const lost = places.find((place) => !text.includes(place));
  if (lost) throw unusable(`${lost} is missing`, `Write ${lost} where Loom is to fill in the rest.`);
  return text;
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return code === "ENOENT" || code === "ENOTDIR";
}

/** Where the user's own replacements are looked for, the strongest last. */
export function promptFolders(env: Readonly<Record<string, string | undefined>>, home: string): string[] {
  return [userFolder(env, home)];
}

/**
 * Where a repository keeps replacements for one plan: below the label of its runs. For local runs only: elsewhere, who may
 * push could tell every agent what to do. null: nowhere.
 */
export function planPrompts(
  repository: string | null,
  { stateDir, planPath }: { readonly stateDir: string; readonly planPath: string },
): PlanPrompts | null {
  if (repository === null || planPath === "") return null;
  return { repository, folder: join(repository, stateDir, runLabel(planPath)) };
}
