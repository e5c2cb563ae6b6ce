import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { followRollout } from "../../../../src/adapters/harness/codex/follow-rollout.ts";

const THREAD = "01a1e49c-aebb-7d50-888c-823e535f7df7";
const NAME = `rollout-2026-01-31T10-00-00-${THREAD}.jsonl`;

let root: string;
let home: string;
let day: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "loom-rollout-"));
  home = join(root, "codex");
  day = join(home, "sessions/2026/01/31");
  mkdirSync(day, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("followRollout", () => {
  it("gives each whole line once", async () => {
    const read = followRollout(home, THREAD);
    expect(await read()).toEqual([]);
    writeFileSync(join(day, NAME), "one\ntw");
    expect(await read()).toEqual(["one"]);
    appendFileSync(join(day, NAME), "o\nthree\n");
    expect(await read()).toEqual(["two", "three"]);
    expect(await read()).toEqual([]);
  });

  it("cuts long lines and goes on behind them", async () => {
    writeFileSync(join(day, NAME), `${"x".repeat(700_000)}\nnext\n`);
    expect((await followRollout(home, THREAD)()).map((line) => line.length)).toEqual([65_536, 4]);
  });

  it("reads a very long file in several looks", async () => {
    const line = `${"y".repeat(99)}\n`;
    writeFileSync(join(day, NAME), line.repeat(100_000));
    const read = followRollout(home, THREAD);
    const first = (await read()).length;
    expect(first).toBeLessThan(100_000);
    expect(first + (await read()).length).toBe(100_000);
  });

  it("opens no link, no pipe and nothing elsewhere", async () => {
    const secret = join(root, "secret.jsonl");
    writeFileSync(secret, "secret\n");
    symlinkSync(secret, join(day, NAME));
    expect(await followRollout(home, THREAD)()).toEqual([]);
    rmSync(join(day, NAME));
    execFileSync("mkfifo", [join(day, NAME)]);
    expect(await followRollout(home, THREAD)()).toEqual([]);
    rmSync(join(home, "sessions"), { recursive: true });
    mkdirSync(join(root, "other/2026/01/31"), { recursive: true });
    writeFileSync(join(root, "other/2026/01/31", NAME), "secret\n");
    symlinkSync(join(root, "other"), join(home, "sessions"));
    expect(await followRollout(home, THREAD)()).toEqual([]);
  });

  it("looks for nothing that is no thread's name", async () => {
    writeFileSync(join(day, "rollout-x.jsonl"), "one\n");
    expect(await followRollout(home, "x")()).toEqual([]);
    expect(await followRollout(join(root, "nowhere"), THREAD)()).toEqual([]);
  });
});
