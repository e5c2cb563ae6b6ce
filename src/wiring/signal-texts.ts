import { readFileSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { messageOf, UserError } from "../core/errors.ts";
import { isId } from "../core/ids.ts";
import type { PromptTexts } from "../core/signal/signal-texts.ts";
import { packageRoot } from "./package-root.ts";

/**
 * All that Loom says to models, as files: shipped in `prompts/`, and any of them replaced by a file of the same name in
 * one of the folders, of which the last one wins. A replacement that can't be used stops the start: an agent that works
 * by other words than somebody wrote for it is worse than none.
 */
export function loadSignalTexts(
  options: { readonly folders: readonly string[] } = { folders: [] },
): PromptTexts {
  const shipped = join(packageRoot(), "prompts");
  const folders = options.folders.toReversed();
  const read = (name: string, ...places: readonly string[]): string => {
    for (const folder of folders) {
      const text = readOverride(join(folder, name), places);
      if (text !== null) return text;
    }
    return readFileSync(join(shipped, name), "utf8");
  };
  return {
    standard: read("stages/standard.md"),
    knowledge: read("stages/knowledge.md"),
    "integration-verify": read("stages/integration-verify.md"),
    "code-review": read("stages/code-review.md"),
    investigate: read("stages/investigate.md"),
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
    small: {
      commitMessage: read("small/commit-message.md", "{{change}}"),
      runName: read("small/run-name.md", "{{plan}}"),
    },
  };
}

/** Four of them have to leave room for the task in a signal's budget. */
const MAX_OVERRIDE_BYTES = 12_000;

/** null when there is none. */
function readOverride(path: string, places: readonly string[]): string | null {
  const unusable = (reason: string, next: string, cause?: unknown): UserError =>
    new UserError(`The prompt ${path} can't be used: ${reason}.`, { next, cause });
  const remove = "Write what Loom should say to agents, or remove the file.";
  let text: string;
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return null;
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

/**
 * Where replacements are looked for, the strongest last: the user's own folder, then the one of a plan in a repository.
 * The second is for local runs only: elsewhere, who may push could tell every agent what to do.
 */
export function promptFolders(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  perRun?: { readonly repository: string; readonly label: string },
): string[] {
  const folders = [userFolder(env, home)];
  if (perRun && isId(perRun.label)) folders.push(join(perRun.repository, ".loom", perRun.label));
  return folders;
}

/** A relative XDG_CONFIG_HOME counts for nothing, by its own specification. */
function userFolder(
  { LOOM_CONFIG, XDG_CONFIG_HOME }: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  if (LOOM_CONFIG) return LOOM_CONFIG;
  return XDG_CONFIG_HOME && isAbsolute(XDG_CONFIG_HOME)
    ? join(XDG_CONFIG_HOME, "loom")
    : join(home, ".config", "loom");
}
