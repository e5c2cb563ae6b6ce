import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { compileSources } from "../../../support/compile-sources.ts";
import {
  childrenOf,
  commandLineOf,
  environmentOf,
  isAlive,
  livingWith,
  until,
} from "../../../support/living-processes.ts";

let compiled: Awaited<ReturnType<typeof compileSources>>;
let folder: string;
const started: number[] = [];
const markers: string[] = [];

beforeAll(async () => {
  compiled = await compileSources(["src/adapters/sandbox"]);
});
afterAll(() => compiled.dispose());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "loom-reaper-"));
});
afterEach(async () => {
  const left = [
    ...started.splice(0),
    ...markers.splice(0).flatMap((one) => livingWith(`LOOM_MARKER=${one}`)),
  ];
  for (const pid of left) if (isAlive(pid)) process.kill(pid, "SIGKILL");
  await rm(folder, { recursive: true });
});

/** A Loom of its own that runs one shell script in the sandbox and repeats what it prints. */
async function startLoom(script: string, marker: string, after = "") {
  markers.push(marker);
  const file = join(folder, "loom.mjs");
  await writeFile(
    file,
    `import { createSupervisor } from ${JSON.stringify(join(compiled.root, "src/adapters/sandbox/processes/process-supervisor.js"))};
     import { createProcessReader } from ${JSON.stringify(join(compiled.root, "src/adapters/sandbox/processes/process-reader.js"))};
     let looks = 0;
     const reader = createProcessReader();
     const read = (options) => reader.read(options).finally(() => { looks += 1; });
     const sandbox = createSupervisor({ reader: { ...reader, read } });
     const spec = { argv: ["sh", "-c", ${JSON.stringify(script)}], cwd: ${JSON.stringify(folder)}, env: { PATH: process.env.PATH }, stdin: "" };
     const running = sandbox.spawn({ ...spec, marker: ${JSON.stringify(marker)} });
     (async () => { for await (const { data } of running.output) process.stdout.write(data); })();
     ${after}`,
  );
  const loom = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "inherit"] });
  const pid = loom.pid ?? 0;
  started.push(pid);
  let printed = "";
  loom.stdout.on("data", (data) => {
    printed += data;
  });
  const ended = new Promise((resolve) => loom.once("exit", resolve));
  return { pid, ended, lines: () => printed.split("\n").slice(0, -1) };
}

function reaperOf(loom: number): number[] {
  return childrenOf(loom).filter((pid) => commandLineOf(pid).includes("loom-reaper"));
}

describe("the reaper", () => {
  it("ends everything within a moment after Loom was killed", async () => {
    const marker = `reaper-${process.pid}-a`;
    const loom = await startLoom(
      "setsid sh -c 'trap \"\" TERM; echo up; sleep 1000; sleep 1000' & setsid sh -c 'sleep 1000 & sleep 1000 &'; echo up; sleep 1000",
      marker,
    );
    await until(
      () => loom.lines().length === 2 && livingWith(`LOOM_MARKER=${marker}`).length >= 5,
      "all run",
    );
    const [reaper = 0] = reaperOf(loom.pid);
    started.push(reaper);
    process.kill(loom.pid, "SIGKILL");
    await until(() => livingWith(`LOOM_MARKER=${marker}`).length === 0, "all are gone");
    await until(() => !isAlive(reaper), "the reaper has left too");
  });

  it("finds children without environment by the session of a program that lived for a while", async () => {
    const loom = await startLoom(
      "(env -i sh -c 'echo $$; exec sleep 1000' &) ; env -i setsid sh -c 'echo $$; exec sleep 1000' & wait",
      `reaper-${process.pid}-b`,
      // A sweep tells the reaper about the program.
      `const timer = setInterval(() => {
         if (looks < 2) return;
         clearInterval(timer);
         console.log("known");
       }, 10);`,
    );
    await until(() => loom.lines().includes("known") && loom.lines().length === 3, "the reaper knows");
    const pids = loom.lines().map(Number).filter(Boolean);
    started.push(...pids);
    process.kill(loom.pid, "SIGKILL");
    await until(() => !pids.some(isAlive), "both are gone");
  });

  it("ends everything also when Loom leaves without a word", async () => {
    const marker = `reaper-${process.pid}-c`;
    const loom = await startLoom(
      "echo up; sleep 1000",
      marker,
      "process.on('SIGUSR2', () => process.exit(0));",
    );
    await until(() => loom.lines().length === 1, "it runs");
    process.kill(loom.pid, "SIGUSR2");
    await loom.ended;
    await until(() => livingWith(`LOOM_MARKER=${marker}`).length === 0, "it is gone");
  });

  it("does not keep Loom from ending, and carries no token of its own", async () => {
    const loom = await startLoom(
      "echo up; sleep 1",
      `reaper-${process.pid}-d`,
      "running.exit.then(() => 0);",
    );
    await until(() => loom.lines().length === 1, "it runs");
    const [reaper = 0] = reaperOf(loom.pid);
    expect(environmentOf(reaper)).not.toContain("LOOM_");
    expect(await loom.ended).toBe(0);
    await until(() => !isAlive(reaper), "the reaper has left");
  });

  it("leaves when Loom says goodbye", async () => {
    const loom = await startLoom(
      "echo up; sleep 1000",
      `reaper-${process.pid}-e`,
      "process.on('SIGUSR2', () => sandbox.close().then(() => console.log('closed')));",
    );
    await until(() => loom.lines().length === 1, "it runs");
    const [reaper = 0] = reaperOf(loom.pid);
    process.kill(loom.pid, "SIGUSR2");
    await loom.ended;
    expect(loom.lines()).toEqual(["up", "closed"]);
    expect(isAlive(reaper)).toBe(false);
  });
});
