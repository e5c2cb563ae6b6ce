import { table } from "../table.ts";
import type { Command, Verb } from "./command.ts";
import { isAtLeast, type Role, readRole } from "./role.ts";
import type { Audit } from "./task-kinds.ts";

/**
 * The one table that the parser, the help text and the permission check are made from, so that they can't drift apart.
 * What changes anything needs write access.
 */
export type CommandRow = {
  readonly usage: string;
  readonly description: string;
  readonly role: Role;
  readonly example: string;
  readonly positionals: readonly Positional[];
  readonly options: readonly Option[];
};

export type Positional = {
  readonly name: "path" | "sha" | "stage" | "text";
  readonly required: boolean;
};
export type Option = {
  readonly name: "budget" | "harness" | "express" | "depth";
  readonly takesValue: boolean;
};

const STAGE = { name: "stage", required: true } as const;
const WORDS = { name: "text", required: false } as const;
const DEPTH = { name: "depth", takesValue: true } as const;
const BUDGET = { name: "budget", takesValue: true } as const;
const HARNESS = { name: "harness", takesValue: true } as const;

/** A command that one agent answers: it reads, costs a little, and changes nothing but the thread. */
const look = (verb: Audit, description: string, example: string): CommandRow => ({
  usage: `/loom ${verb} [--budget USD] [--harness NAME] [text…]`,
  description,
  role: "write",
  example: `/loom ${verb}${example}`,
  positionals: [WORDS],
  options: [BUDGET, HARNESS],
});

export const COMMANDS: Readonly<Record<Verb, CommandRow>> = {
  run: {
    usage: "/loom run [path] [--budget USD] [--harness NAME] [--depth DEPTH] [--express] [text…]",
    description:
      "Plan this issue, or take the plan at `path`, and build it once the plan is approved. Words behind it or in the lines around it are for the planner. The depth of the design is `quick`, `standard` or `deep`; `--express` asks no questions.",
    role: "write",
    example: "/loom run --budget 20",
    positionals: [{ name: "path", required: false }, WORDS],
    options: [BUDGET, HARNESS, DEPTH, { name: "express", takesValue: false }],
  },
  plan: {
    usage: "/loom plan [path] [--depth DEPTH] [text…]",
    description: "Open the plan of this issue, or the one at `path`, to be read; approving it builds it.",
    role: "write",
    example: "/loom plan --depth deep",
    positionals: [{ name: "path", required: false }, WORDS],
    options: [DEPTH],
  },
  revise: {
    usage: "/loom revise <text…>",
    description: "Have the plan changed as you say; it has to be approved again, and finished stages stay.",
    role: "write",
    example: "/loom revise Keep the old endpoint and add a second one.",
    positionals: [{ name: "text", required: true }],
    options: [],
  },
  approve: {
    usage: "/loom approve [sha]",
    description: "Approve the plan as it stands, or only if its head is `sha`.",
    role: "write",
    example: "/loom approve 1a2b3c4",
    positionals: [{ name: "sha", required: false }],
    options: [],
  },
  status: {
    usage: "/loom status",
    description: "Say how far the run is and who has to act, or what agents are at here.",
    role: "read",
    example: "/loom status",
    positionals: [],
    options: [],
  },
  retry: {
    usage: "/loom retry [stage]",
    description: "Give a blocked stage, or every blocked stage, fresh attempts.",
    role: "write",
    example: "/loom retry build-api",
    positionals: [{ name: "stage", required: false }],
    options: [],
  },
  skip: {
    usage: "/loom skip <stage>",
    description: "Go on without a stage.",
    role: "write",
    example: "/loom skip update-docs",
    positionals: [STAGE],
    options: [],
  },
  pause: {
    usage: "/loom pause",
    description: "Start nothing new; what runs may finish.",
    role: "write",
    example: "/loom pause",
    positionals: [],
    options: [],
  },
  resume: {
    usage: "/loom resume",
    description: "Go on after a pause or a fault.",
    role: "write",
    example: "/loom resume",
    positionals: [],
    options: [],
  },
  cancel: {
    usage: "/loom cancel",
    description: "End the run for good, and stop agents at work here; what is merged stays.",
    role: "write",
    example: "/loom cancel",
    positionals: [],
    options: [],
  },
  take: {
    usage: "/loom take <stage>",
    description: "Do a stage yourself: push to its branch, Loom checks it and goes on.",
    role: "write",
    example: "/loom take build-api",
    positionals: [STAGE],
    options: [],
  },
  answer: {
    usage: "/loom answer [stage] <text…>",
    description:
      "Answer the question of a stage, or the planner's as a reply would (`1b 2: use Redis`, `defaults`); the lines below belong to the answer.",
    role: "write",
    example: "/loom answer build-api Use the existing table.",
    positionals: [
      { name: "stage", required: false },
      { name: "text", required: true },
    ],
    options: [],
  },
  ask: {
    usage: "/loom ask [--budget USD] [--harness NAME] <text…>",
    description: "Have a question answered from the code, in this thread.",
    role: "write",
    example: "/loom ask Where are webhooks verified?",
    positionals: [{ name: "text", required: true }],
    options: [BUDGET, HARNESS],
  },
  review: look("review", "Have the change, or the repository, reviewed by an agent that only reads.", ""),
  debug: look("debug", "Have the cause of a bug looked for in the code.", " The tests hang on Windows."),
  "security-audit": look(
    "security-audit",
    "Have the change, or the repository, looked at for weaknesses.",
    "",
  ),
  "perf-check": look("perf-check", "Have it looked at for what makes it slow.", " the import of large files"),
  "seo-audit": look("seo-audit", "Have its pages looked at for what search engines miss.", ""),
  "a11y-audit": look("a11y-audit", "Have its pages looked at for what keeps people out.", ""),
  "compliance-check": look("compliance-check", "Have it looked at for licences, privacy and rules.", ""),
  archive: {
    usage: "/loom archive",
    description: "Put a finished run away: its branches and labels are removed, its record stays.",
    role: "write",
    example: "/loom archive",
    positionals: [],
    options: [],
  },
  help: {
    usage: "/loom help",
    description: "Show these commands.",
    role: "read",
    example: "/loom help",
    positionals: [],
    options: [],
  },
};

export const VERBS: readonly Verb[] = Object.keys(COMMANDS).filter(isVerb);

/** Other words for the same; each stands for one command and takes the same arguments. */
export const ALIASES: Readonly<Record<string, Verb>> = table({ orchestrate: "run", execute: "resume" });

export function isVerb(word: string): word is Verb {
  return Object.hasOwn(COMMANDS, word);
}

/** Takes the role as GitHub names it; one that nobody knows may do nothing (T1). */
export function mayUse(command: Command | Verb, role: string | null): boolean {
  const verb = typeof command === "string" ? command : command.verb;
  return isAtLeast(readRole(role), COMMANDS[verb].role);
}
