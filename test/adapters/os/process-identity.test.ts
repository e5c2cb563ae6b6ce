import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  identifyProcess,
  isRunning,
  ownIdentity,
  statusFromPs,
} from "../../../src/adapters/os/process-identity.ts";

describe("the identity of a process", () => {
  it("knows its own process and its start", async () => {
    const self = await ownIdentity();
    expect(self).toEqual({ pid: process.pid, start: expect.stringMatching(/\d/) });
    expect(await isRunning(self)).toBe(true);
  });

  it("takes a process with the same id and another start for another one", async () => {
    expect(await isRunning({ pid: process.pid, start: "1" })).toBe(false);
  });

  it("believes the id alone when the start is not known", async () => {
    expect(await isRunning({ pid: process.pid, start: null })).toBe(true);
  });

  it.each([0, -1])("never takes %d, which names a group, for a process", async (pid) => {
    expect(await identifyProcess(pid)).toBeNull();
  });

  it("tells when a process has ended", async () => {
    const child = spawn("sleep", ["1000"]);
    const identity = await identifyProcess(child.pid ?? -1);
    if (identity === null) throw new Error("the process was not found");
    expect(await isRunning(identity)).toBe(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await isRunning(identity)).toBe(false);
  });

  it("counts a killed process as ended although its parent does not collect it", async () => {
    // A shell may still collect it. So the line is printed by the program that takes its place, and knows of no child.
    const folder = await mkdtemp(join(tmpdir(), "loom-child-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const script = 'sleep 1000 & echo $! > "$0"; exec tail -f "$0"';
    const parent = spawn("sh", ["-c", script, join(folder, "pid")]);
    const [line] = await once(createInterface({ input: parent.stdout }), "line");
    const orphan = Number(line);
    expect(await identifyProcess(orphan)).not.toBeNull();
    process.kill(orphan, "SIGKILL");
    await expect.poll(() => identifyProcess(orphan)).toBeNull();
    // Still in the process table: otherwise this test shows nothing.
    expect(() => process.kill(orphan, 0)).not.toThrow();
    parent.kill("SIGKILL");
    await once(parent, "exit");
  });

  it("reads ps where there is no /proc, and does without it where there is no ps", async () => {
    const folder = await mkdtemp(join(tmpdir(), "loom-ps-"));
    const before = process.env.PATH;
    try {
      process.env.PATH = folder;
      expect(await statusFromPs(process.pid)).toBeNull();
      await writeFile(join(folder, "ps"), '#!/bin/sh\necho "Ss+  Mon May  6 07:08:09 2031"\n');
      await chmod(join(folder, "ps"), 0o755);
      expect(await statusFromPs(process.pid)).toEqual({ state: "Ss+", start: "Mon May  6 07:08:09 2031" });
    } finally {
      process.env.PATH = before;
      await rm(folder, { recursive: true });
    }
  });
});
