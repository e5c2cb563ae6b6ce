import { describe, expect, it } from "vitest";
import { createEventQueue } from "../../../src/adapters/harness/event-queue.ts";
import type { HarnessEvent } from "../../../src/ports/harness.ts";

const output = (text: string): HarnessEvent => ({ kind: "output", text });

async function texts(events: AsyncIterable<HarnessEvent>): Promise<string[]> {
  const heard: string[] = [];
  for await (const event of events) if (event.kind === "output") heard.push(event.text);
  return heard;
}

describe("the queue of a session's events", () => {
  it("hands events on in order and ends", async () => {
    const queue = createEventQueue();
    const heard = texts(queue.events());
    await queue.push(output("a"));
    queue.note(output("b"));
    await queue.push(output("c"));
    queue.end();
    expect(await heard).toEqual(["a", "b", "c"]);
  });

  it("lets a program wait until what it said was heard", async () => {
    const queue = createEventQueue();
    let taken = false;
    const push = queue.push(output("a")).then(() => {
      taken = true;
    });
    await new Promise(setImmediate);
    expect(taken).toBe(false);
    const iterator = queue.events();
    await iterator.next();
    await push;
    expect(taken).toBe(true);
  });

  it("does not keep a program that is being ended waiting, and loses nothing it says", async () => {
    const queue = createEventQueue();
    const before = queue.push(output("a"));
    queue.hurry();
    await before;
    await queue.push(output("b"));
    queue.end();
    expect(await texts(queue.events())).toEqual(["a", "b"]);
  });

  it("lets everybody go when the listener leaves", async () => {
    const queue = createEventQueue();
    queue.note(output("a"));
    for await (const _ of queue.events()) break;
    await queue.push(output("b"));
  });

  it("keeps a bounded number of what nobody waits for, each kind by itself, and tells how many it left out", async () => {
    const queue = createEventQueue();
    queue.hurry();
    for (let n = 0; n < 50_000; n += 1) await queue.push(output(`line ${n}`));
    for (let n = 0; n < 50_000; n += 1) queue.note({ kind: "retrying", reason: `again ${n}` });
    queue.note({ kind: "ask", question: "which?" });
    queue.end();
    const kinds: Record<string, number> = {};
    let last: HarnessEvent | null = null;
    for await (const event of queue.events()) {
      kinds[event.kind] = (kinds[event.kind] ?? 0) + 1;
      last = event;
    }
    expect(kinds).toEqual({ output: 1_001, retrying: 1_000, ask: 1 });
    expect(last).toEqual(output("[Loom left 98000 events out here: they came too fast.]"));
  });

  it("bounds the characters that wait as well", async () => {
    const queue = createEventQueue();
    for (let n = 0; n < 100; n += 1) queue.note(output("x".repeat(200_000)));
    queue.end();
    expect((await texts(queue.events())).join("").length).toBeLessThan(1_100_000);
  });
});
