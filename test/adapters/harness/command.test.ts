import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCommandHarness } from "../../../src/adapters/harness/command.ts";
import { createSupervisor } from "../../../src/adapters/sandbox/processes/process-supervisor.ts";
import type { HarnessEvent } from "../../../src/ports/harness.ts";
import type { ProcessSupervisor } from "../../../src/ports/process-supervisor.ts";
import { openSandboxes } from "../../support/open-sandboxes.ts";
import { aSessionSpec } from "../../support/session-spec.ts";

let supervisor: ProcessSupervisor;
let folder: string;
let tree: string;

beforeEach(async () => {
  supervisor = createSupervisor();
  folder = await mkdtemp(join(tmpdir(), "loom-command-"));
  tree = join(folder, "tree");
  await mkdir(tree);
  await mkdir(join(folder, "home"));
});
afterEach(async () => {
  await supervisor.close();
  await rm(folder, { recursive: true });
});

async function harness(settings: Record<string, string>) {
  const env = { PATH: process.env.PATH, ...settings };
  return createCommandHarness({
    sandboxes: await openSandboxes(supervisor, join(folder, "sandboxes"), env),
    env,
    cwd: folder,
  });
}

async function run(settings: Record<string, string>, prompt = "do it\n") {
  const session = (await harness(settings)).start(
    aSessionSpec({
      attempt: 2,
      marker: `command-harness-${process.pid}`,
      tree,
      home: join(folder, "home"),
      prompt,
    }),
  );
  const events: HarnessEvent[] = [];
  for await (const event of session.events) events.push(event);
  return { events, end: await session.end };
}

describe("the harness command", () => {
  it("gives the signal on standard input and the arguments as they were split", async () => {
    const { events } = await run(
      { LOOM_COMMAND_BIN: "sh", LOOM_COMMAND_ARGS: `-c 'cat; printf "%s\\n" "$@"' agent "a b" '*'` },
      "the signal\n",
    );
    expect(events).toEqual(["the signal", "a b", "*"].map((text) => ({ kind: "output", text })));
  });

  it("is not harmed by numbers that no ledger can hold", async () => {
    const usage = JSON.stringify({ type: "usage", input_tokens: 1e308, cost_usd: 1e308 });
    const { events } = await run({
      LOOM_COMMAND_BIN: "sh",
      LOOM_COMMAND_ARGS: JSON.stringify(["-c", 'echo "$1"; echo "$1"', "agent", usage]),
    });
    const told = { inputTokens: 1e12, outputTokens: 0, costUsd: 1e12 };
    expect(events).toEqual([
      { kind: "usage", usage: told },
      { kind: "usage", usage: told },
    ]);
  });

  it("finds a relative program where Loom was started, never in the agent's tree", async () => {
    await writeFile(join(tree, "agent"), "#!/bin/sh\necho from the tree\n", { mode: 0o755 });
    expect(await run({ LOOM_COMMAND_BIN: "./agent" })).toMatchObject({
      events: [],
      end: { exit: { kind: "not-started", reason: "./agent was not found" } },
    });
    expect((await run({ LOOM_COMMAND_BIN: "agent", PATH: ".:" })).end.exit).toEqual({
      kind: "not-started",
      reason: "agent was not found on PATH",
    });
    await writeFile(join(folder, "agent"), "#!/bin/sh\necho from here\n", { mode: 0o755 });
    expect((await run({ LOOM_COMMAND_BIN: "./agent" })).events).toEqual([
      { kind: "output", text: "from here" },
    ]);
  });

  it("passes over files on PATH that are folders or not executable", async () => {
    for (const name of ["one", "two", "three"]) await mkdir(join(folder, name));
    await mkdir(join(folder, "one/agent"));
    await writeFile(join(folder, "two/agent"), "", { mode: 0o644 });
    await writeFile(join(folder, "three/agent"), "#!/bin/sh\n", { mode: 0o755 });
    const PATH = ["one", "two", "three"].map((name) => join(folder, name)).join(":");
    expect(await (await harness({ LOOM_COMMAND_BIN: "agent", PATH })).check()).toEqual({
      kind: "ready",
      detail: join(folder, "three/agent"),
    });
  });

  it("leaves the user's environment to the program, but for what belongs to git and Loom", async () => {
    const { events } = await run({
      LOOM_COMMAND_BIN: "/usr/bin/env",
      OWN: "1",
      GIT_DIR: "/x",
      LOOM_COMMAND_ARGS: "",
      LOOM_OTHER: "y",
    });
    const names = events.map((event) => (event.kind === "output" ? event.text.split("=")[0] : ""));
    expect(names.sort()).toEqual(
      [
        "PATH",
        "OWN",
        "LOOM_PROMPT",
        "LOOM_RUN_ID",
        "LOOM_STAGE_ID",
        "LOOM_ATTEMPT",
        "LOOM_MARKER",
        "LOOM_OWNER",
      ].sort(),
    );
  });

  it("says what is missing and what to do about it", async () => {
    await writeFile(join(folder, "plain"), "");
    await chmod(join(folder, "plain"), 0o644);
    const missing = async (settings: Record<string, string>) => {
      const check = await (await harness(settings)).check();
      return check.kind === "missing" ? `${check.reason} ${check.next}`.replaceAll(folder, "<here>") : check;
    };
    const set = "Set LOOM_COMMAND_BIN to the program that is to work on a stage, such as ./agent.sh.";
    expect(await missing({})).toBe(`LOOM_COMMAND_BIN is not set. ${set}`);
    expect(await missing({ LOOM_COMMAND_BIN: "nothing" })).toBe(
      `LOOM_COMMAND_BIN: nothing was not found on PATH. ${set}`,
    );
    expect(await missing({ LOOM_COMMAND_BIN: "./nothing" })).toBe(
      `LOOM_COMMAND_BIN: ./nothing was not found. ${set}`,
    );
    expect(await missing({ LOOM_COMMAND_BIN: "./plain" })).toBe(
      "LOOM_COMMAND_BIN: <here>/plain is not executable. Run chmod +x <here>/plain.",
    );
    expect(await missing({ LOOM_COMMAND_BIN: "sh", LOOM_COMMAND_ARGS: "'" })).toContain("a ' is not closed");
  });

  it("does not start with malformed arguments", async () => {
    const malformed = await run({ LOOM_COMMAND_BIN: "sh", LOOM_COMMAND_ARGS: "'" });
    expect(malformed.end.exit).toMatchObject({
      kind: "not-started",
      reason: expect.stringContaining("LOOM_COMMAND_ARGS"),
    });
    const absent = await run({});
    expect(absent.end.exit).toEqual({ kind: "not-started", reason: "LOOM_COMMAND_BIN is not set." });
  });

  it("copes with whatever the program prints", async () => {
    await writeFile(
      join(folder, "noise"),
      Buffer.concat([
        Buffer.from('{"type":"activity","text":"a"}\r\n{"type":\n'),
        Buffer.from([0xff, 0xfe, 0x0a]),
        Buffer.from(`{"type":"activity","text":"${"x".repeat(3_000_000)}"}\n`),
        Buffer.from('{"type":"activity","text":"b"}'),
      ]),
    );
    const { events } = await run({ LOOM_COMMAND_BIN: "cat", LOOM_COMMAND_ARGS: join(folder, "noise") });
    expect(events.map((event) => (event.kind === "output" ? event.text.slice(0, 20) : event))).toEqual([
      { kind: "activity", text: "a" },
      '{"type":',
      "\ufffd\ufffd",
      '{"type":"activity","',
      { kind: "activity", text: "b" },
    ]);
  });
});
