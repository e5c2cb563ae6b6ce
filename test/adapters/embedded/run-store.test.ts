import {
  appendFile,
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { foreignWriters } from "../../../src/adapters/embedded/foreign-writers.ts";
import { createEmbeddedRunStore } from "../../../src/adapters/embedded/run-store.ts";
import { UserError } from "../../../src/core/errors.ts";
import type { RunEvent } from "../../../src/core/run/events.ts";
import { created, queued } from "../../contract/sample-events.ts";

describe("the files of the embedded run store", () => {
  let root: string;
  let file: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "loom-store-"));
    file = join(root, "r1", "events.jsonl");
  });
  afterEach(() => rm(root, { recursive: true }));

  it("hold one line per batch", async () => {
    const store = createEmbeddedRunStore({ root });
    await store.append("r1", 0, [created("r1")]);
    await store.append("r1", 1, [queued("a"), queued("b")]);
    const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { m: expect.any(String), v: 1, events: [created("r1")] },
      { m: expect.any(String), v: 2, events: [queued("a"), queued("b")] },
    ]);
    expect(await readdir(join(root, "r1"))).toEqual(["events.jsonl"]);
  });

  it.each([
    ["first", [[created("r1", { planText: "ä🧵" }), queued("a")]]],
    ["second", [[created("r1")], [queued("ä🧵"), queued("b")]]],
  ] as [string, RunEvent[][]][])(
    "are read without a %s batch that was cut at any byte, and go on",
    async (_, batches) => {
      const writer = createEmbeddedRunStore({ root });
      let whole = 0;
      let kept = 0;
      for (const batch of batches) {
        whole = batch === batches[0] ? 0 : (await stat(file)).size;
        kept = (await writer.load("r1")).version;
        await writer.append("r1", kept, batch);
      }
      const bytes = await readFile(file);
      for (let length = whole; length < bytes.length; length += 1) {
        await writeFile(file, bytes.subarray(0, length));
        const store = createEmbeddedRunStore({ root });
        expect((await store.load("r1")).version).toBe(kept);
        expect(await store.list()).toEqual(kept > 0 ? ["r1"] : []);
        // Reading repairs nothing: the tail may be a batch that another process is just writing.
        expect((await stat(file)).size).toBe(length);
        expect(await store.append("r1", kept, [queued("next")])).toEqual({
          kind: "appended",
          version: kept + 1,
        });
        const { events } = await createEmbeddedRunStore({ root }).load("r1");
        expect(events).toEqual([...batches.slice(0, -1).flat(), queued("next")]);
      }
    },
  );

  it("of another version of Loom are not guessed at: people are told what to do", async () => {
    const store = createEmbeddedRunStore({ root });
    await store.append("r1", 0, [created("r1")]);
    const paused = { type: "run-paused", at: "2031-05-06T07:08:09.000Z", by: "GitHub", reason: "Suspended." };
    await appendFile(file, `${JSON.stringify({ m: "0123456789abcdef", v: 2, events: [paused] })}\n`);
    const failure = await createEmbeddedRunStore({ root })
      .load("r1")
      .catch((error: unknown) => error as UserError);
    expect(failure).toBeInstanceOf(UserError);
    const { message, next } = failure as UserError;
    expect(message).toContain(
      `The ledger is damaged, or was written by another version of Loom: ${file}, line 2: `,
    );
    expect(message).toContain("cause");
    expect(next).toBe("Put the file back from a copy, or forget the run with `loom clean`.");
  });

  it("are this user's alone, and count for nothing once others can write to them (T32)", async () => {
    const store = createEmbeddedRunStore({ root });
    await store.append("r1", 0, [created("r1")]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(root, "r1"))).mode & 0o777).toBe(0o700);
    for (const mode of [0o602, 0o620]) {
      await chmod(file, mode);
      const reader = createEmbeddedRunStore({ root });
      await expect(reader.load("r1")).rejects.toThrow(
        /can't be trusted: (everybody|its group) may write to it/,
      );
      await expect(reader.append("r1", 1, [queued("a")])).rejects.toThrow("can't be trusted");
    }
    await chmod(file, 0o644);
    expect((await createEmbeddedRunStore({ root }).load("r1")).version).toBe(1);
  });

  it.each([
    [{ uid: 7, mode: 0o100600 }, 7, null],
    [{ uid: 7, mode: 0o100644 }, 7, null],
    [{ uid: 8, mode: 0o100600 }, 7, "it belongs to user 8, and Loom runs as user 7"],
    [{ uid: 0, mode: 0o100600 }, 7, "it belongs to user 0, and Loom runs as user 7"],
    [{ uid: 7, mode: 0o100666 }, 7, "everybody may write to it"],
    [{ uid: 7, mode: 0o100664 }, 7, "its group may write to it"],
  ])("with %j are looked at by user %i", (stats, self, problem) => {
    expect(foreignWriters(stats, self)).toBe(problem);
  });

  it("grow for a reader that has seen half of a batch", async () => {
    const store = createEmbeddedRunStore({ root });
    const reader = createEmbeddedRunStore({ root });
    await store.append("r1", 0, [created("r1")]);
    await store.append("r1", 1, [queued("a")]);
    const bytes = await readFile(file);
    await truncate(file, bytes.length - 10);
    expect((await reader.load("r1")).version).toBe(1);
    await appendFile(file, bytes.subarray(-10));
    expect((await reader.loadSince("r1", 1)).events).toEqual([queued("a")]);
  });

  it.each([
    ["no JSON", '{"m":"00000000","v":2,"eve'],
    ["no batch", '{"hello":"world"}'],
    ["an unknown event", '{"m":"00000000","v":2,"events":[{"type":"from-the-future"}]}'],
    ["a batch out of order", '{"m":"00000000","v":7,"events":[]}'],
    ["an empty line", ""],
  ])("are refused with file and line when the middle holds %s", async (_, line) => {
    const store = createEmbeddedRunStore({ root });
    await store.append("r1", 0, [created("r1")]);
    await store.append("r1", 1, [queued("a")]);
    await store.append("r1", 2, [queued("b")]);
    const lines = (await readFile(file, "utf8")).split("\n");
    lines[1] = line;
    await writeFile(file, lines.join("\n"));
    for (const one of [store, createEmbeddedRunStore({ root })]) {
      const refusal = { name: "UserError", message: expect.stringContaining(`${file}, line 2: `) };
      await expect(one.load("r1")).rejects.toMatchObject(refusal);
      await expect(one.load("r1")).rejects.toMatchObject(refusal);
      await expect(one.append("r1", 3, [queued("c")])).rejects.toMatchObject(refusal);
      expect(await one.list()).toEqual(["r1"]);
    }
    expect(await readFile(file, "utf8")).toBe(lines.join("\n"));
  });

  it("are refused when a batch is missing", async () => {
    const store = createEmbeddedRunStore({ root });
    for (let n = 0; n < 3; n += 1) await store.append("r1", n, [queued(`s${n}`)]);
    const lines = (await readFile(file, "utf8")).split("\n");
    lines.splice(1, 1);
    await writeFile(file, lines.join("\n"));
    await expect(store.load("r1")).rejects.toThrow("line 2: it begins with event 3 instead of 2");
  });

  it("are read anew when a batch was taken back and another one put in its place", async () => {
    const store = createEmbeddedRunStore({ root });
    const reader = createEmbeddedRunStore({ root });
    await store.append("r1", 0, [created("r1")]);
    const { size } = await stat(file);
    await store.append("r1", 1, [queued("a")]);
    expect((await reader.load("r1")).version).toBe(2);
    await truncate(file, size);
    await createEmbeddedRunStore({ root }).append("r1", 1, [queued("b")]);
    await createEmbeddedRunStore({ root }).append("r1", 2, [queued("c")]);
    for (const one of [store, reader]) {
      expect((await one.load("r1")).events).toEqual([created("r1"), queued("b"), queued("c")]);
    }
  });

  it("take only events that can be read back", async () => {
    const store = createEmbeddedRunStore({ root });
    const broken = { ...queued("a"), attempt: 0 };
    await expect(store.append("r1", 0, [broken])).rejects.toMatchObject({ name: "InternalError" });
    expect(await store.append("r1", 0, [created("r1")])).toEqual({ kind: "appended", version: 1 });
  });

  it("are found among foreign ones", async () => {
    const store = createEmbeddedRunStore({ root });
    await store.append("r1", 0, [created("r1")]);
    for (const folder of ["empty", ".removed-r9-x", "Not An Id"]) await mkdir(join(root, folder));
    await writeFile(join(root, ".removed-r9-x", "events.jsonl"), "{}\n");
    await writeFile(join(root, "a-file"), "");
    expect(await store.list()).toEqual(["r1"]);
    expect(await store.load("a-file")).toEqual({ version: 0, events: [] });
  });

  it("are gone after a removal, with what an earlier one left when it was cut short", async () => {
    const store = createEmbeddedRunStore({ root });
    await store.append("r1", 0, [created("r1")]);
    await mkdir(join(root, "r1", "logs"));
    await mkdir(join(root, ".removed-r9-x", "logs"), { recursive: true });
    await store.remove("r1");
    expect(await readdir(root)).toEqual([]);
  });

  it("say what to do when they can't be written", async () => {
    await writeFile(join(root, "file"), "");
    const store = createEmbeddedRunStore({ root: join(root, "file") });
    await expect(store.append("r1", 0, [created("r1")])).rejects.toMatchObject({
      name: "UserError",
      message: expect.stringMatching(/^Failed to write the ledger of run r1: /),
      next: `See that ${join(root, "file")} can be written, then go on with \`loom resume r1\`.`,
    });
  });

  it("say what to do when the disk is full", async () => {
    await mkdir(join(root, "r1"));
    await symlink("/dev/full", file);
    await expect(createEmbeddedRunStore({ root }).append("r1", 0, [created("r1")])).rejects.toMatchObject({
      name: "UserError",
      message: expect.stringContaining("no space left on device"),
      next: "Free some disk space, then go on with `loom resume r1`.",
      cause: { code: "ENOSPC" },
    });
    expect(await readdir(join(root, "r1"))).toEqual(["events.jsonl"]);
  });
});
