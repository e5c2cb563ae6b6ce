import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Purpose } from "../../src/core/task/task-events.ts";
import { makeProject, normalise, type Project } from "../scenario/project.ts";
import { type LoomOptions, NO_SANDBOX_NOTE } from "../support/loom-cli.ts";

/** What the scripted agent does for each purpose: its steps, or one list of steps for each session. */
export type TaskScript = Partial<Record<Purpose, readonly object[] | { attempts: readonly object[][] }>>;

export type TaskProject = Project & {
  /** The command and all that a person sees of it, `err` before what went to standard error. */
  tell(args: readonly string[], more?: Partial<LoomOptions>): Promise<string>;
  /** What the agent was told in each session of tasks whose id begins so. */
  prompts(kind: string): string[];
  /** What each task of this kind began with. */
  tasks(kind: string): unknown[];
  readonly scripted: Readonly<Record<string, string>>;
  rewrite(script: TaskScript): void;
};

export function taskProject(
  script: TaskScript,
  files: Readonly<Record<string, string>> = { "src/a.js": "console.log(1);\n" },
): TaskProject {
  const base = makeProject({ stages: [{ id: "only" }], files });
  base.git("rm", "-q", "PLAN.md");
  base.commit("no plan");
  const file = join(base.notes, "script.yml");
  const rewrite = (next: TaskScript): void =>
    writeFileSync(
      file,
      stringify({ stages: { count: [{ write: { path: "count.sh", text: "wc -w\n" } }] }, tasks: next }),
    );
  rewrite(script);
  const scripted = { LOOM_HARNESS: "scripted", LOOM_SCRIPT: file, LOOM_RETRY_BACKOFF: "0,0" };
  const project = {
    ...base,
    with: (more: Partial<LoomOptions>) =>
      base.with({ agent: undefined, ...more, env: { ...scripted, ...more.env } }),
  };
  return {
    ...project,
    ...project.with({}),
    scripted,
    rewrite,
    async tell(args, more = {}) {
      const { code, stdout, stderr } = await project.with(more).ask(...args);
      const said = stderr
        .split("\n")
        .filter((line) => line !== "" && line !== NO_SANDBOX_NOTE)
        .map((line) => `err ${line}\n`);
      return normalise(`$ loom ${args.join(" ")}\n${said.join("")}${stdout}=> ${code}\n`, base)
        .replace(/ · \d+ s$/gm, " · <span>")
        .replace(/"workedMs":\d+/, '"workedMs":0');
    },
    prompts: (kind) =>
      foldersOf(base, kind).flatMap((folder) =>
        namesIn(join(folder, "prompts"))
          .sort()
          .map((name) => readFileSync(join(folder, "prompts", name), "utf8")),
      ),
    tasks: (kind) => foldersOf(base, kind).map(firstEvent),
  };
}

function foldersOf({ root }: Project, kind: string): string[] {
  const tasks = join(root, ".git/loom/tasks");
  return namesIn(tasks)
    .filter((id) => id.startsWith(`${kind}-`))
    .map((id) => join(tasks, id));
}

/** Empty as well where nobody has made the folder yet. */
function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function firstEvent(folder: string): unknown {
  const [line = ""] = readFileSync(join(folder, "events.jsonl"), "utf8").split("\n");
  const { events } = JSON.parse(line) as { readonly events: readonly unknown[] };
  return events[0];
}

export const QUESTIONS = `\`\`\`yaml
loom_questions:
  complexity: medium
  why: It decides what is counted.
  questions:
    - question: What is a word?
      options: [what spaces divide, what letters make]
      default: a
    - question: Where is it kept?
      options: [Redis, a file]
      default: b
\`\`\``;

export function planAnswer(stages: readonly object[] = [COUNT]): string {
  const plan = stringify({ loom: { version: 1, stages } });
  return `## Why these stages\n\nOne will do.\n\n## Out of scope\n\nSentences.\n\n\`\`\`yaml\n${plan}\`\`\`\n`;
}

export const COUNT = {
  id: "count",
  name: "Count words",
  description: "Write `count.sh`.",
  files: ["count.sh"],
  acceptance: ["test -f count.sh"],
};

export const FINDINGS = `\`\`\`yaml
loom_findings:
  summary: One thing to fix.
  findings:
    - severity: high
      title: It prints one
      body: It should print two.
      file: src/a.js
      line: 1
      suggestion: console.log(2);
\`\`\``;

export const USAGE = { usage: { input_tokens: 1000, output_tokens: 200, cost_usd: 0.02 } };
