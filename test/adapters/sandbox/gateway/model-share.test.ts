import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { examineBody } from "../../../../src/adapters/sandbox/gateway/examine-body.ts";
import { createFairQueue, type InTurn } from "../../../../src/adapters/sandbox/gateway/fair-queue.ts";
import { until } from "../../../support/living-processes.ts";
import { ANY_REQUEST, ask, createWorlds, KEY, PLACEHOLDER } from "./gateway-world.ts";

const worlds = createWorlds();
afterEach(() => worlds.close());

const HEADERS = { "x-api-key": PLACEHOLDER };

/** A model that answers when it is told to. */
async function openToSlowModel(modelRequests: number) {
  const open: ServerResponse[] = [];
  let most = 0;
  const { url } = await worlds.serve((_incoming, response) => {
    open.push(response);
    most = Math.max(most, open.length);
  });
  const model = { upstream: url, placeholder: PLACEHOLDER, key: KEY, api: ANY_REQUEST };
  const world = await worlds.open({ model }, { limits: { modelRequests } });
  const post = async () => (await ask(world.socketPath, "/.loom/model/v1", { headers: HEADERS })).text;
  return { ...world, post, open, most: () => most };
}

describe("requests to the model", () => {
  it("are under way in bounded number, and the others wait for a place", async () => {
    const { post, open, most } = await openToSlowModel(2);
    const answers = Promise.all(Array.from({ length: 6 }, post));
    for (let answered = 0; answered < 6; answered += 1) {
      const places = Math.min(2, 6 - answered);
      await until(() => open.length === places, "all places are taken");
      open.shift()?.end(String(answered));
    }
    expect((await answers).sort()).toEqual(["0", "1", "2", "3", "4", "5"]);
    expect(most()).toBe(2);
  });

  it("that nobody waits for any more take no place", async () => {
    const { socketPath, post, open } = await openToSlowModel(1);
    const first = post();
    await until(() => open.length === 1, "the only place is taken");
    const gone = connect(socketPath);
    gone.write(`GET /.loom/model/v1 HTTP/1.1\r\nhost: x\r\nx-api-key: ${PLACEHOLDER}\r\n\r\n`);
    // An answer on another connection, so the gateway has heard the request.
    expect((await ask(socketPath, "/")).status).toBe(404);
    gone.destroy();
    const last = post();
    open.shift()?.end("first");
    expect(await first).toBe("first");
    await until(() => open.length === 1, "the place is taken again");
    open.shift()?.end("last");
    expect(await last).toBe("last");
  });
});

/** How often everything else had its turn until `work` was done. */
async function roundsDuring(work: Promise<unknown>): Promise<number> {
  let rounds = 0;
  let isDone = false;
  const count = (): void => {
    rounds += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await work;
  isDone = true;
  return rounds;
}

describe("a body that is examined", () => {
  const examine = (inTurn: InTurn, text: string): Promise<string> => {
    const refused: string[] = [];
    const body = examineBody({ shape: { keys: { metadata: null } }, also: [] }, 64_000_000, inTurn, (why) =>
      refused.push(why.rule),
    );
    return new Promise((resolve) => {
      let size = 0;
      body.on("data", (chunk: Buffer) => {
        size += chunk.length;
      });
      body.on("end", () => resolve(refused[0] ?? `${size} bytes`));
      body.end(Buffer.from(text));
    });
  };
  const numbers = (count: number): string => `{"metadata":[${"1,".repeat(count)}1]}`;

  it("lets everything else have its turn after each piece", async () => {
    const text = numbers(500_000);
    // Without a rest, which would be a turn for everything else, too.
    const done = examine(createFairQueue({ freeMs: Number.POSITIVE_INFINITY, rest: 0 }), text);
    expect(await roundsDuring(done)).toBeGreaterThan(text.length / 32_768);
    expect(await done).toBe(`${text.length} bytes`);
  });

  it("does not hold up a short one that came later", async () => {
    const inTurn = createFairQueue({ freeMs: 1, rest: 1 });
    const order: string[] = [];
    await Promise.all([
      examine(inTurn, numbers(200_000)).then(() => order.push("long")),
      examine(inTurn, numbers(5)).then(() => order.push("short")),
    ]);
    expect(order).toEqual(["short", "long"]);
  });

  it("is refused for what stands behind the first piece, and where pieces are cut within a letter", async () => {
    const inTurn = createFairQueue({ freeMs: 1, rest: 1 });
    expect(await examine(inTurn, `{"metadata":"${"x".repeat(40_000)}","mcp":1}`)).toBe("field mcp");
    const text = `{"metadata":"${"€".repeat(40_000)}"}`;
    expect(await examine(inTurn, text)).toBe(`${Buffer.byteLength(text)} bytes`);
  });
});

describe("turns", () => {
  it("come in order, with a round for everything else between them, whatever becomes of one", async () => {
    const inTurn = createFairQueue({ freeMs: 1_000, rest: 1 });
    const seen: string[] = [];
    const broken = inTurn(() => {
      seen.push("one");
      setImmediate(() => seen.push("something else"));
      throw new Error("no");
    });
    const next = inTurn(() => seen.push("two"));
    await expect(broken).rejects.toThrow("no");
    await next;
    expect(seen).toEqual(["one", "something else", "two"]);
  });
});
