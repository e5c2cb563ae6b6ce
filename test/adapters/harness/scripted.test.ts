import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createScriptedHarness } from "../../../src/adapters/harness/scripted.ts";
import { createSupervisor } from "../../../src/adapters/sandbox/processes/process-supervisor.ts";
import { chooseSandboxProvider } from "../../../src/adapters/sandbox/provider/choose-sandbox-provider.ts";
import { createPatterns } from "../../../src/adapters/text/patterns.ts";
import type { Harness, HarnessEvent, SessionSpec } from "../../../src/ports/harness.ts";
import type { ProcessSupervisor } from "../../../src/ports/process-supervisor.ts";
import { compileSources } from "../../support/compile-sources.ts";
import { openSandboxes } from "../../support/open-sandboxes.ts";
import { aSessionSpec } from "../../support/session-spec.ts";

let compiled: Awaited<ReturnType<typeof compileSources>>;
let supervisor: ProcessSupervisor;
let folder: string;
let tree: string;

beforeAll(async () => {
  compiled = await compileSources(["src/adapters/harness/scripted-agent.ts"]);
});
afterAll(() => compiled.dispose());
beforeEach(async () => {
  supervisor = createSupervisor();
  folder = await mkdtemp(join(tmpdir(), "loom-scripted-"));
  tree = join(folder, "tree");
  await mkdir(tree);
  await mkdir(join(folder, "home"));
});
afterEach(async () => {
  await supervisor.close();
  await rm(folder, { recursive: true });
});

const agentFile = () => join(compiled.root, "src/adapters/harness/scripted-agent.js");

async function harness(env: Record<string, string> = {}) {
  const whole = { PATH: process.env.PATH, LOOM_SCRIPT: "script.yml", ...env };
  return createScriptedHarness({
    sandboxes: await openSandboxes(supervisor, join(folder, "sandboxes"), whole),
    env: whole,
    cwd: folder,
    agentFile: agentFile(),
  });
}

async function run(steps: readonly object[], prompt = "# Signal\n") {
  return play(await harness(), { stages: { build: steps } }, { stage: "build", prompt });
}

async function play(agent: Harness, script: object, parts: Partial<SessionSpec>) {
  await writeFile(join(folder, "script.yml"), JSON.stringify(script));
  const marker = `scripted-harness-${process.pid}`;
  const session = agent.start(aSessionSpec({ marker, tree, home: join(folder, "home"), ...parts }));
  const events: HarnessEvent[] = [];
  for await (const event of session.events) events.push(event);
  const { exit, text, resume } = await session.end;
  return { events, exit, text, resume, last: events.at(-1) };
}

describe("the scripted agent", () => {
  it("says first that it is scripted and that no model is at work", async () => {
    const { events } = await run([]);
    expect(events).toEqual([
      {
        kind: "output",
        text: "This is a scripted agent: it follows script.yml, and no model is at work.",
      },
    ]);
  });

  it("writes, appends, replaces and removes", async () => {
    await writeFile(join(tree, "old.txt"), "old");
    await writeFile(join(tree, "b.txt"), "one two one");
    const { exit, events } = await run([
      { write: { path: "deep/er/a.txt", text: "a\n" } },
      { append: { path: "deep/er/a.txt", text: "b\n" } },
      { replace: { path: "b.txt", find: "one", with: "$& three" } },
      { remove: "old.txt" },
      { wait_ms: 1 },
    ]);
    expect(exit).toEqual({ kind: "exited", code: 0 });
    expect(events.slice(1).map((event) => (event.kind === "output" ? event.text : event.kind))).toEqual([
      "wrote deep/er/a.txt",
      "appended to deep/er/a.txt",
      "changed b.txt",
      "removed old.txt",
    ]);
    expect(await readFile(join(tree, "deep/er/a.txt"), "utf8")).toBe("a\nb\n");
    expect(await readFile(join(tree, "b.txt"), "utf8")).toBe("$& three two $& three");
    await expect(readFile(join(tree, "old.txt"))).rejects.toThrow("ENOENT");
  });

  it("fails in words when a step can't be taken", async () => {
    await writeFile(join(tree, "b.txt"), "text");
    const { exit, last } = await run([{ replace: { path: "b.txt", find: "other", with: "x" } }]);
    expect(exit).toEqual({ kind: "exited", code: 1 });
    expect(last).toEqual({
      kind: "output",
      text: "The scripted agent failed: b.txt does not hold the text to replace",
    });
  });

  it("does not follow a link out of the work tree", async () => {
    await symlink(folder, join(tree, "up"));
    await symlink(join(folder, "target.txt"), join(tree, "file.txt"));
    const folderLink = await run([{ write: { path: "up/stolen.txt", text: "x" } }]);
    expect(folderLink.last).toMatchObject({
      text: "The scripted agent failed: up/stolen.txt leads out of the work tree",
    });
    const fileLink = await run([{ append: { path: "file.txt", text: "x" } }]);
    expect(fileLink.last).toMatchObject({ text: "The scripted agent failed: file.txt is a link" });
    await expect(readFile(join(folder, "target.txt"))).rejects.toThrow("ENOENT");
  });

  it("hands on the failure of a command", async () => {
    expect((await run([{ run: "exit 9" }, { say: "never" }])).exit).toEqual({ kind: "exited", code: 9 });
  });

  it("ends with a question, and goes on once it is answered", async () => {
    const steps = [{ ask: "Which port?" }, { say: "goes on" }];
    expect((await run(steps)).last).toEqual({ kind: "ask", question: "Which port?" });
    const answered = await run(steps, "# Signal\n\nQuestion: Which port?\nAnswer: 8080\n");
    expect(answered.last).toEqual({ kind: "activity", text: "goes on" });
  });
});

describe("the scripted agent on a task", () => {
  const tasks = {
    begin: [{ say: "reads" }, { answer: "  Shall it be\nblue?\n" }],
    draft: { attempts: [[{ answer: "first" }], [{ answer: "never heard" }, { answer: "second" }]] },
  };

  it("ends with the words of its last answer", async () => {
    const agent = await harness();
    const task = async (stage: string, attempt: number) =>
      play(agent, { tasks }, { stage, attempt, tools: "read" });
    expect(await task("begin", 1)).toMatchObject({
      exit: { kind: "exited", code: 0 },
      text: "  Shall it be\nblue?\n",
      resume: null,
      last: { kind: "text", text: "  Shall it be\nblue?\n" },
    });
    expect((await task("draft", 1)).text).toBe("first");
    expect((await task("draft", 2)).text).toBe("second");
    expect(agent.speaks).toBe(false);
  });

  it("fails in words where the tree can't be written, and has its own place for temporary files", async () => {
    const env = { PATH: process.env.PATH, LOOM_SCRIPT: "script.yml", LOOM_SANDBOX: "bubblewrap" };
    const sandboxes = await chooseSandboxProvider({
      supervisor,
      folder: join(folder, "sandboxes"),
      cwd: folder,
      env,
      patterns: createPatterns(),
    });
    const walled = createScriptedHarness({ sandboxes, env, cwd: folder, agentFile: agentFile() });
    const audit = [
      { run: 'echo note > "$TMPDIR/note"' },
      { answer: "It is good." },
      { write: { path: "a.txt", text: "a" } },
    ];
    for (const tools of ["shell", "read", "none"] as const) {
      const { exit, text, last } = await play(walled, { tasks: { audit } }, { stage: "audit", tools });
      expect({ exit, text }).toEqual({ exit: { kind: "exited", code: 1 }, text: "It is good." });
      expect(last).toMatchObject({ text: expect.stringContaining("EROFS: read-only file system") });
    }
    const { exit } = await play(walled, { tasks: { audit } }, { stage: "audit", tools: "edit" });
    expect(exit).toEqual({ kind: "exited", code: 0 });
    expect(await readFile(join(tree, "a.txt"), "utf8")).toBe("a");
    await sandboxes.close();
  });
});

describe("the check of the scripted harness", () => {
  async function missing(env: Record<string, string> = {}) {
    const check = await (await harness(env)).check();
    return check.kind === "missing" ? `${check.reason} ${check.next}`.replaceAll(folder, "<here>") : check;
  }

  it("says which script it follows", async () => {
    await writeFile(join(folder, "script.yml"), "stages: {}");
    expect(await missing()).toEqual({
      kind: "ready",
      detail: `follows ${join(folder, "script.yml")}; no model is at work`,
    });
  });

  it("says when the agent itself was not built", async () => {
    await writeFile(join(folder, "script.yml"), "stages: {}");
    const agentFile = join(folder, "agent.js");
    const sandboxes = await openSandboxes(supervisor, join(folder, "sandboxes"), {});
    const unbuilt = createScriptedHarness({
      sandboxes,
      env: {},
      cwd: folder,
      script: "script.yml",
      agentFile,
    });
    expect(await unbuilt.check()).toEqual({
      kind: "missing",
      reason: `${agentFile} was not found.`,
      next: "Run npm run build.",
    });
  });

  it("says what is wrong with the script", async () => {
    expect(await missing({ LOOM_SCRIPT: "" })).toMatchInlineSnapshot(
      `"LOOM_SCRIPT is not set. Set LOOM_SCRIPT to the file that says what the scripted agent does."`,
    );
    expect(await missing()).toMatchInlineSnapshot(
      `"The script <here>/script.yml was not found. Set LOOM_SCRIPT to a file in YAML or JSON."`,
    );
    await writeFile(join(folder, "script.yml"), "stages:\n  build:\n    - dance: true\n");
    expect(await missing()).toMatchInlineSnapshot(`
      "The script has problems:
      <here>/script.yml:3: stages.build[0]: does not know dance. Steps are: say, answer, write, append, replace, remove, run, usage, ask, wait_ms, fail, stall. Fix <here>/script.yml."
    `);
  });
});
