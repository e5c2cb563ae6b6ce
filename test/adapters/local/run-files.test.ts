import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRunFiles } from "../../../src/adapters/local/run-files.ts";
import type { Heartbeat } from "../../../src/ports/run-files.ts";

const BEAT: Heartbeat = {
  stage: "build",
  attempt: 1,
  session: "build-1-1",
  at: "2031-05-06T07:08:09.000Z",
  activity: "writes a test",
};

describe("the files of a run", () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "loom-files-"));
  });
  afterEach(() => rm(root, { recursive: true }));

  it("hold a signal where an agent can read it", async () => {
    const path = await createRunFiles({ root }).writePrompt("r1", "build-1-1", "Do ünïcödé.\n");
    expect(path).toBe(join(root, "r1", "prompts", "build-1-1.md"));
    expect(await readFile(path, "utf8")).toBe("Do ünïcödé.\n");
  });

  it("hold the logs of a stage by attempt, each continued by later sessions", async () => {
    const files = createRunFiles({ root });
    for (const [attempt, line] of [
      [10, "tenth"],
      [2, "second"],
      [2, "second, again"],
    ] as const) {
      const log = files.openLog("r1", "build", attempt);
      log.write(line);
      await log.close();
    }
    const other = files.openLog("r1", "build-docs", 1);
    await other.close();
    expect(await files.readLogs("r1", "build")).toEqual([
      { attempt: 2, path: join(root, "r1", "logs", "build.2.log"), text: "second\nsecond, again\n" },
      { attempt: 10, path: join(root, "r1", "logs", "build.10.log"), text: "tenth\n" },
    ]);
    expect(await files.readLogs("r1", "build-docs")).toEqual([{ attempt: 1, path: other.path, text: "" }]);
    expect(await files.readLogs("r2", "build")).toEqual([]);
  });

  it("show a log's lines soon, before it is closed", async () => {
    const files = createRunFiles({ root });
    const log = files.openLog("r1", "build", 1);
    log.write("first");
    await expect.poll(() => readFile(log.path, "utf8")).toBe("first\n");
    await log.close();
  });

  it("hold a log up to its cap and count the rest", async () => {
    const files = createRunFiles({ root, maxLogBytes: 14 });
    const log = files.openLog("r1", "build", 1);
    for (const line of ["ä345", "6789", "too long", "x"]) log.write(line);
    await log.close();
    const cut = "[Loom cut 11 bytes here: a log holds 14 bytes.]\n";
    expect(await readFile(log.path, "utf8")).toBe(`ä345\n6789\n${cut}`);
    const again = files.openLog("r1", "build", 1);
    again.write("more");
    await again.close();
    expect(await readFile(log.path, "utf8")).toBe(
      `ä345\n6789\n${cut}[Loom cut 5 bytes here: a log holds 14 bytes.]\n`,
    );
  });

  it("hold no more than ten megabytes of an agent that never stops talking", async () => {
    const log = createRunFiles({ root }).openLog("r1", "build", 1);
    const line = "x".repeat(1023);
    for (let n = 0; n < 20 * 1024; n += 1) log.write(line);
    await log.close();
    expect((await stat(log.path)).size).toBeLessThan(10 * 1024 * 1024 + 100);
    expect((await readFile(log.path, "utf8")).slice(-80)).toContain(`cut ${10 * 1024 * 1024} bytes`);
  });

  it("let the work go on when a log can't be written, and say so at its end", async () => {
    await mkdir(join(root, "r1", "logs"), { recursive: true });
    await symlink("/dev/full", join(root, "r1", "logs", "build.1.log"));
    const log = createRunFiles({ root }).openLog("r1", "build", 1);
    log.write("first");
    log.write("x".repeat(100_000));
    log.write("last");
    await expect(log.close()).rejects.toMatchObject({
      name: "UserError",
      message: expect.stringContaining("no space left on device"),
    });
  });

  it("hold the last heartbeat of each stage", async () => {
    const files = createRunFiles({ root });
    expect(await files.readHeartbeats("r1")).toEqual([]);
    await Promise.all(["a", "b", "c"].map((activity) => files.writeHeartbeat("r1", { ...BEAT, activity })));
    await files.writeHeartbeat("r1", BEAT);
    await files.writeHeartbeat("r1", { ...BEAT, stage: "docs", activity: null });
    expect(await files.readHeartbeats("r1")).toEqual([BEAT, { ...BEAT, stage: "docs", activity: null }]);
    const folder = join(root, "r1", "heartbeats");
    expect((await readdir(folder)).sort()).toEqual(["build.json", "docs.json"]);
    await writeFile(join(folder, "docs.json"), "{");
    await writeFile(join(folder, ".draft.json"), JSON.stringify(BEAT));
    expect(await files.readHeartbeats("r1")).toEqual([BEAT]);
  });

  it("hold reports by name, the last text of each", async () => {
    const files = createRunFiles({ root });
    expect(await files.readReports("r1")).toEqual({});
    await files.writeReport("r1", "crash-build-1", "old");
    const path = await files.writeReport("r1", "crash-build-1", "# It crashed\n");
    await files.writeReport("r1", "SUMMARY", "Fine.");
    expect(path).toBe(join(root, "r1", "reports", "crash-build-1.md"));
    expect(await files.readReports("r1")).toEqual({ "crash-build-1": "# It crashed\n", SUMMARY: "Fine." });
  });

  it("are removed without the ledger beside them", async () => {
    const files = createRunFiles({ root });
    await files.writePrompt("r1", "s", "text");
    await files.writeReport("r1", "s", "text");
    await files.writeHeartbeat("r1", BEAT);
    await files.openLog("r1", "build", 1).close();
    await writeFile(join(root, "r1", "events.jsonl"), "");
    await files.remove("r1");
    expect(await readdir(join(root, "r1"))).toEqual(["events.jsonl"]);
    await files.remove("r2");
  });

  it.each(["../x", "", ".", "..", "a/b", "-x", ".hidden", "x\n", "x\0"])(
    "never take %j as a name",
    async (name) => {
      const files = createRunFiles({ root });
      await expect(async () => files.writePrompt(name, "s", "")).rejects.toThrow("name");
      await expect(async () => files.writePrompt("r1", name, "")).rejects.toThrow("name");
      await expect(async () => files.writeReport("r1", name, "")).rejects.toThrow("name");
      await expect(async () => files.openLog("r1", name, 1)).rejects.toThrow("name");
      await expect(async () => files.readLogs("r1", name)).rejects.toThrow("name");
      await expect(async () => files.writeHeartbeat("r1", { ...BEAT, stage: name })).rejects.toThrow("name");
      await expect(async () => files.remove(name)).rejects.toThrow("name");
      expect(await readdir(root)).toEqual([]);
    },
  );
});
