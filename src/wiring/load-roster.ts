import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readDisabledAgents } from "../core/config/disabled-agents.ts";
import { messageOf, UserError } from "../core/errors.ts";
import type { AgentProfile } from "../core/plan/agent-profile.ts";
import type { Problem } from "../core/plan/problem.ts";
import { parseAgent } from "../core/roster/parse-agent.ts";
import { parseSkill, type SkillFiles } from "../core/roster/parse-skill.ts";
import { type Roster, SKILL_NAMES, type Skill, type SkillName } from "../core/roster/roster.ts";
import { withoutAgents } from "../core/roster/without-agents.ts";
import { homeFolder } from "./folders/home-folder.ts";
import { packageRoot } from "./folders/package-root.ts";
import { promptFolders, readOverride } from "./prompt-texts.ts";
import type { Env } from "./settings/env.ts";
import { gatherProblems } from "./settings/gather-problems.ts";

export type RosterOptions = {
  /** Where replacements and further agents are looked for, the strongest last. */
  readonly folders: readonly string[];
  readonly disabled: readonly string[];
};

/**
 * The agents and skills as files: shipped in `prompts/`, any of them replaced by a file of the same name in one of the
 * folders, which may hold further agents besides. One that can't be used stops the start, as with every other prompt.
 */
export function loadRoster({ folders, disabled }: RosterOptions = { folders: [], disabled: [] }): Roster {
  const places = [join(packageRoot(), "prompts"), ...folders];
  const problems = gatherProblems();
  const agents = new Map<string, AgentProfile>();
  for (const place of places) {
    const folder = join(place, "agents");
    for (const name of problems.attempt(() => markdownFiles(folder)) ?? []) {
      const profile = problems.attempt(() => readAgent(join(folder, name), name));
      if (profile) agents.set(profile.name, profile);
    }
  }
  const skills = new Map<SkillName, Skill>();
  for (const name of SKILL_NAMES) {
    const homes = places.map((place) => join(place, "skills", name));
    const skill = problems.attempt(() => readSkill(homes, name));
    if (skill) skills.set(name, skill);
  }
  problems.assertNone();
  const inOrder = [...agents].sort(([a], [b]) => (a < b ? -1 : 1));
  return withoutAgents({ agents: new Map(inOrder), disabled: new Map(), skills }, disabled);
}

/** The roster of this installation: with the user's own files, and without those that the operator took out. */
export function openRoster(
  env: Env,
  { ownFiles = true }: { readonly ownFiles?: boolean } = {},
): { readonly roster: Roster; readonly warnings: readonly string[] } {
  const folders = ownFiles ? promptFolders(env, homeFolder(env)) : [];
  const all = loadRoster({ folders, disabled: [] });
  const { names, warnings } = readDisabledAgents(env, all.agents.keys());
  return { roster: withoutAgents(all, names), warnings };
}

function readAgent(path: string, fileName: string): AgentProfile | null {
  const text = readOverride(path, []);
  if (text === null) return null;
  const { profile, problems } = parseAgent(text, fileName);
  if (!profile) throw unusable("agent", path, problems);
  return profile;
}

/** File by file: whoever replaces a protocol keeps the rest. */
function readSkill(folders: readonly string[], name: SkillName): Skill | null {
  let text: { readonly path: string; readonly content: string } | null = null;
  const protocols = new Map<string, string>();
  for (const folder of folders) {
    const path = join(folder, "SKILL.md");
    const content = readOverride(path, []);
    if (content !== null) text = { path, content };
    for (const fileName of markdownFiles(join(folder, "protocols"))) {
      const protocol = readOverride(join(folder, "protocols", fileName), []);
      if (protocol !== null) protocols.set(fileName, protocol);
    }
  }
  if (!text) return null;
  const files: SkillFiles = {
    text: text.content,
    protocols: [...protocols].map(([fileName, content]) => ({ fileName, text: content })),
  };
  const { skill, problems } = parseSkill(files, name);
  if (!skill) throw unusable("skill", text.path, problems);
  return skill;
}

/** Other files, such as a README or what an editor left, are passed over; so is a folder that is not there. */
function markdownFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".md") && !name.startsWith(".") && name.toLowerCase() !== "readme.md")
      .sort();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw new UserError(`The folder ${folder} can't be read: ${messageOf(error)}.`, {
      next: "Make it readable, or remove it.",
      cause: error,
    });
  }
}

const SHOWN_PROBLEMS = 5;

function unusable(what: "agent" | "skill", path: string, problems: readonly Problem[]): UserError {
  const lines = problems.slice(0, SHOWN_PROBLEMS).map(({ line, message, fix }) => {
    return `${line === null ? "" : `Line ${line}: `}${message} ${fix}`;
  });
  const rest = problems.length - lines.length;
  return new UserError(`The ${what} ${path} can't be used. ${lines.join(" ")}`, {
    next: `${rest > 0 ? `There is more (${rest}). ` : ""}Fix the file, or remove it.`,
  });
}
