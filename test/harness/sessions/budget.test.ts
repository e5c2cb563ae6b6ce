import { afterAll, beforeAll, expect, it } from "vitest";
import { drivenCli } from "./driven-clis.ts";
import { createSessionBench, type SessionBench } from "./session-bench.ts";

/** The one CLI that knows prices and can be told what a session may cost. */
const CLAUDE = drivenCli("claude");

let bench: SessionBench;
beforeAll(async () => {
  bench = await createSessionBench(CLAUDE);
});
afterAll(() => bench.dispose());

it("claude stops when its session has cost what it may", async () => {
  const look = { tools: [{ read: "README.md" }], usage: { input: 400_000, output: 20_000 } };
  const server = await bench.serve({ script: [look, look, look, { say: "Done." }] });
  const harness = await bench.harnessFor(server.url);
  const { heard } = bench.start(harness, { home: bench.home("budget"), tools: "read", budgetUsd: 0.5 });
  const { end } = await heard;
  expect(end.failure?.kind).toBe("turns");
  expect(end.failure?.message).toMatchInlineSnapshot(`"Reached maximum budget ($0.5)."`);
  expect(server.requests().filter(({ purpose }) => purpose === "turn").length).toBeLessThan(4);
});
