import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Step } from "./script.ts";
import type { ScriptedTask } from "./scripted.ts";

/**
 * The program behind the harness `scripted`, started by it in a work tree. It takes its steps one by one and reports in
 * the same JSON lines as any other agent. It has no dependency, so that it starts as fast as Node does.
 */
const tree = realpathSync(process.cwd());

async function followScript(): Promise<number> {
  const task = JSON.parse(readFileSync(0, "utf8")) as ScriptedTask;
  print(`This is a scripted agent: it follows ${basename(task.script)}, and no model is at work.`);
  for (const step of task.steps) {
    const code = await takeStep(step);
    if (code !== null) return code;
  }
  return 0;
}

/** The exit code when this was the last step, else null. */
async function takeStep(step: Step): Promise<number | null> {
  if (step.say !== undefined) tell({ type: "activity", text: step.say });
  if (step.answer !== undefined) tell({ type: "answer", text: step.answer });
  if (step.usage) tell({ type: "usage", ...step.usage });
  if (step.write) {
    const file = prepare(step.write.path);
    writeFileSync(file, step.write.text);
    print(`wrote ${step.write.path}`);
  }
  if (step.append) {
    appendFileSync(prepare(step.append.path), step.append.text);
    print(`appended to ${step.append.path}`);
  }
  if (step.replace) {
    const file = prepare(step.replace.path);
    const before = readFileSync(file, "utf8");
    if (!before.includes(step.replace.find))
      throw new Error(`${step.replace.path} does not hold the text to replace`);
    writeFileSync(
      file,
      before.replaceAll(step.replace.find, () => step.replace?.with ?? ""),
    );
    print(`changed ${step.replace.path}`);
  }
  if (step.remove !== undefined) {
    rmSync(confine(step.remove), { recursive: true });
    print(`removed ${step.remove}`);
  }
  if (step.run !== undefined) {
    const { status } = spawnSync("/bin/sh", ["-c", step.run], { stdio: ["ignore", "inherit", "inherit"] });
    if (status !== 0) return status ?? 1;
  }
  if (step.wait_ms !== undefined) await delay(step.wait_ms);
  if (step.stall) await new Promise(() => setInterval(() => {}, 60_000));
  if (step.ask !== undefined && !isAnswered(step.ask)) {
    tell({ type: "ask", question: step.ask });
    return 0;
  }
  return step.fail ?? null;
}

/** The prompt of a session that goes on after an answer holds the question. */
function isAnswered(question: string): boolean {
  return readFileSync(process.env.LOOM_PROMPT ?? "", "utf8").includes(question);
}

function prepare(path: string): string {
  const file = confine(path);
  mkdirSync(dirname(file), { recursive: true });
  return file;
}

/** The file that a path means, which lies in the work tree also when links are followed. */
function confine(path: string): string {
  const file = resolve(tree, path);
  let folder = dirname(file);
  while (!existsSync(folder)) folder = dirname(folder);
  const real = join(realpathSync(folder), relative(folder, file));
  if (!real.startsWith(tree + sep)) throw new Error(`${path} leads out of the work tree`);
  if (lstatSync(real, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Error(`${path} is a link`);
  return real;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function tell(message: object): void {
  print(JSON.stringify(message));
}

try {
  process.exitCode = await followScript();
} catch (error) {
  print(`The scripted agent failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
