import { createHmac, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AppWorld, openAppWorld, SECRET } from "./app-world.ts";
import { commentPayload } from "./payloads.ts";

let world: AppWorld;
beforeAll(async () => {
  world = await openAppWorld();
});
afterAll(() => world.close());

const BODY = JSON.stringify(commentPayload());
const sign = (algorithm: string, secret: string, body = BODY): string =>
  `${algorithm}=${createHmac(algorithm, secret).update(body).digest("hex")}`;
const RIGHT = sign("sha256", SECRET);

async function send(headers: Record<string, string>, body: string | Buffer = BODY): Promise<number> {
  const response = await fetch(`${world.url}/api/github/webhooks`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-github-event": "issue_comment",
      "x-github-delivery": randomUUID(),
      ...headers,
    },
    body: new Uint8Array(Buffer.from(body)),
  });
  await response.text();
  await world.settled();
  return response.status;
}

describe("a webhook", () => {
  it("with the right signature is taken", async () => {
    expect(await send({ "x-hub-signature-256": RIGHT })).toBe(200);
    expect(world.effects).toHaveLength(1);
  });

  it.each([
    ["no signature", {}],
    ["an empty signature", { "x-hub-signature-256": "" }],
    ["a short signature", { "x-hub-signature-256": RIGHT.slice(0, 20) }],
    ["only the name of the algorithm", { "x-hub-signature-256": "sha256=" }],
    ["a signature that goes on", { "x-hub-signature-256": `${RIGHT}0` }],
    ["only a sha1 signature", { "x-hub-signature": sign("sha1", SECRET) }],
    ["a sha1 signature in the place of the other", { "x-hub-signature-256": sign("sha1", SECRET) }],
    ["a signature with another secret", { "x-hub-signature-256": sign("sha256", "another secret") }],
    ["a signature with Probot's default secret", { "x-hub-signature-256": sign("sha256", "development") }],
    ["a signature of another body", { "x-hub-signature-256": sign("sha256", SECRET, `${BODY} `) }],
  ])("with %s is refused", async (_, headers) => {
    const before = world.effects.length;
    expect(await send(headers as Record<string, string>)).toBe(400);
    expect(world.effects).toHaveLength(before);
  });

  it("is checked over the bytes that came, not over what they mean", async () => {
    const spaced = JSON.stringify(commentPayload(), null, 2);
    expect(await send({ "x-hub-signature-256": RIGHT }, spaced)).toBe(400);
    expect(await send({ "x-hub-signature-256": sign("sha256", SECRET, spaced) }, spaced)).toBe(200);
    const marked = `\uFEFF${BODY}`;
    expect(await send({ "x-hub-signature-256": RIGHT }, marked)).toBe(400);
  });

  it("that is no JSON object is refused, though it is signed", async () => {
    const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;
    for (const body of ["", "{", "null", "5", '"text"', "[]", "[[{}]]", "\uFEFF{}", `${deep}}`]) {
      const status = await send({ "x-hub-signature-256": sign("sha256", SECRET, body) }, body);
      expect([body.slice(0, 20), status]).toEqual([body.slice(0, 20), 400]);
    }
    expect(await send({ "x-hub-signature-256": RIGHT })).toBe(200);
  });

  it("without an event or a delivery id, or as a form, is refused", async () => {
    const signed = { "x-hub-signature-256": RIGHT };
    expect(await send({ ...signed, "content-type": "application/x-www-form-urlencoded" })).toBe(415);
    const without = (name: string) => {
      const headers: Record<string, string> = {
        "content-type": "application/json",
        "x-github-event": "issue_comment",
        "x-github-delivery": randomUUID(),
        ...signed,
      };
      delete headers[name];
      return fetch(`${world.url}/api/github/webhooks`, { method: "POST", headers, body: BODY });
    };
    expect((await without("x-github-event")).status).toBe(400);
    expect((await without("x-github-delivery")).status).toBe(400);
  });

  it.each(["../../etc/passwd", "a/b", "a b", "x".repeat(101), "-rf"])(
    "whose id would be a path or an option is refused: %s",
    async (id) => {
      const before = world.effects.length;
      expect(await send({ "x-hub-signature-256": RIGHT, "x-github-delivery": id })).toBe(400);
      expect(world.effects).toHaveLength(before);
    },
  );

  it("that was forged does not get its payload into the log", async () => {
    const body = JSON.stringify(commentPayload({ body: "/loom run with a marker-in-a-forged-body" }));
    expect(await send({ "x-hub-signature-256": RIGHT }, body)).toBe(400);
    expect(world.logged()).toContain("signature does not match");
    expect(world.logged()).not.toContain("marker-in-a-forged-body");
  });
});
