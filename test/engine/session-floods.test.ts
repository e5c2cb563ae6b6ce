import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { createRunFiles } from "../../src/adapters/local/run-files.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { runSession } from "../../src/engine/session/run-session.ts";
import type { SessionRequest } from "../../src/engine/session/session-types.ts";
import type { FeedItem } from "../../src/ports/feed.ts";
import type { Harness, HarnessEvent } from "../../src/ports/harness.ts";
import { tempFolder } from "../support/git-repo.ts";

const COUNT = 20_000;
const MAX_LOG_BYTES = 50_000;

/** One of each kind; a kind that is missing here does not compile. */
const FLOODS: { readonly [K in HarnessEvent["kind"]]: (n: number) => Extract<HarnessEvent, { kind: K }> } = {
  started: (n) => ({ kind: "started", model: `m${n}`, conversation: null }),
  output: (n) => ({ kind: "output", text: `line ${n}` }),
  text: (n) => ({ kind: "text", text: `word ${n}` }),
  activity: (n) => ({ kind: "activity", text: `step ${n}` }),
  tool: (n) => ({ kind: "tool", name: "Bash", detail: `ls ${n}` }),
  "tool-result": (n) => ({ kind: "tool-result", ok: false, text: `no ${n}` }),
  usage: () => ({ kind: "usage", usage: { inputTokens: 1, outputTokens: 0, costUsd: null } }),
  context: (n) => ({ kind: "context", used: n % 2 === 0 ? 100 : 640, window: 1_000 }),
  compacted: () => ({ kind: "compacted" }),
  retrying: (n) => ({ kind: "retrying", reason: `again ${n}` }),
  "rate-limit": () => ({ kind: "rate-limit", resetsAt: null }),
  ask: (n) => ({ kind: "ask", question: `which ${n}?` }),
};

async function flooded(kind: HarnessEvent["kind"]) {
  const root = tempFolder();
  const files = createRunFiles({ root, maxLogBytes: MAX_LOG_BYTES });
  const items: FeedItem[] = [];
  const spent: number[] = [];
  let beats = 0;
  let most = 0;
  let underWay = 0;
  const engine: Pick<Engine, "files" | "feed" | "now"> = {
    now: Date.now,
    feed: (item) => void items.push(item),
    files: {
      ...files,
      async writeHeartbeat(run, beat) {
        beats += 1;
        underWay += 1;
        most = Math.max(most, underWay);
        await files.writeHeartbeat(run, beat);
        underWay -= 1;
      },
    },
  };
  const harness: Harness = {
    id: "told",
    speaks: true,
    model: null,
    smallModel: null,
    check: async () => ({ kind: "ready", detail: "" }),
    start: () => ({
      events: (async function* () {
        for (let n = 0; n < COUNT; n += 1) yield FLOODS[kind](n);
      })(),
      end: Promise.resolve({
        exit: { kind: "exited", code: 0 },
        failure: null,
        text: null,
        resume: null,
        deniedHosts: [],
      }),
      stop: async () => {},
    }),
  };
  const request: Partial<SessionRequest> = {
    claim: { run: "r-1", stage: "a", attempt: 1, token: "c" },
    harness,
    session: "a-1-x",
    prompt: { text: "", rules: "", task: "" } as never,
    model: null,
    contextBudget: 65,
    ceilingSecs: 60,
    stallSecs: 0,
    abort: new AbortController().signal,
    onUsage: ({ inputTokens }) => void spent.push(inputTokens),
  };
  const began = performance.now();
  const result = await runSession(engine as Engine, request as SessionRequest);
  const secs = (performance.now() - began) / 1000;
  return { result, items, beats, most, spent, root, files, secs };
}

describe("an agent that floods Loom with events", () => {
  it.each(Object.keys(FLOODS) as HarnessEvent["kind"][])("of the kind %s", async (kind) => {
    const { result, items, beats, most, spent, root, secs } = await flooded(kind);
    expect(result.session).toBe("a-1-x");
    expect(items.length).toBeLessThan(25 + 10 * secs);
    expect(beats).toBeLessThan(6 + secs);
    expect(most).toBeLessThanOrEqual(1);
    expect(spent.length).toBeLessThan(8 + secs);
    const written = readdirSync(root, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    expect(written.map(({ name }) => name).sort()).toEqual(["a-1-x.md", "a.1.log", "a.json"]);
    const log = readFileSync(join(root, "r-1", "logs", "a.1.log"));
    expect(log.length).toBeLessThan(MAX_LOG_BYTES + 200);
  });

  it("is seen with the newest it did, and how much was left out is told", async () => {
    const { items, files, result } = await flooded("activity");
    const shown = items.filter((item) => item.kind === "activity").map((item) => item.text);
    expect(shown[0]).toBe("step 0");
    expect(shown.at(-1)).toBe(`step ${COUNT - 1}`);
    expect((await files.readHeartbeats("r-1"))[0]?.activity).toBe(`step ${COUNT - 1}`);
    expect(items.at(-1)).toEqual({
      kind: "notice",
      run: "r-1",
      text: `a: ! the agent reported faster than Loom shows it: ${COUNT - shown.length} of ${COUNT} activity lines were left out`,
    });
    expect(result.outcome).toEqual({ kind: "finished" });
  });

  it("is charged for all that it used", async () => {
    const { result, spent } = await flooded("usage");
    expect(result.usage?.inputTokens).toBe(COUNT);
    expect(spent.at(-1)).toBe(COUNT);
  });

  it("has no way past the bound: sessions are shown and beat in one file alone", () => {
    const engine = resolve(import.meta.dirname, "../../src/engine");
    const callers = readdirSync(engine, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .filter((name) => /kind: "activity"|writeHeartbeat\(/.test(readFileSync(join(engine, name), "utf8")));
    // The proof tells which check it runs, once for each, and that it begins anew without what was below it.
    expect(callers.sort()).toEqual([
      "github/train/prove-train.ts",
      "run/leave-line.ts",
      "session/session-outlets.ts",
      "verify/prove-and-publish.ts",
    ]);
  });
});
