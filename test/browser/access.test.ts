import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { installedOn, openShop, type Shop } from "./shop-world.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.close());

type Sent = {
  readonly as: string;
  readonly form?: Readonly<Record<string, string>>;
  readonly origin?: string;
};

async function ask(path: string, { as, form, origin }: Sent): Promise<Response> {
  return await fetch(`${shop.world.github.url}${path}`, {
    redirect: "manual",
    headers: { cookie: `playground_viewer=${as}`, ...(origin !== undefined && { origin }) },
    ...(form !== undefined && { method: "POST", body: new URLSearchParams(form) }),
  });
}

describe("the server enforces roles, whatever the page shows", () => {
  it.each([
    ["merges", "/pull/2/merge", { method: "merge" }, "wes", "tia"],
    ["labels", "/issues/1/labels", { add: "documentation" }, "tia", "rae"],
    ["closes somebody else's issue", "/issues/2/comments", { state: "closed" }, "tia", "rae"],
    ["deletes a branch", "/branches/delete", { branch: "loom/totals" }, "wes", "tia"],
    ["edits somebody else's text", "/issues/1/body", { body: "new" }, "wes", "tia"],
    ["files an issue with labels", "/issues", { title: "x", label: "bug" }, "tia", "sam"],
  ])("%s only for those who may", async (_what, path, form, allowed, refused) => {
    const before = JSON.stringify([...shop.repository.issues]);
    const no = await ask(`/ada/shop${path}`, { as: refused, form });
    expect(no.status).toBe(403);
    expect(JSON.stringify([...shop.repository.issues])).toBe(before);
    expect((await ask(`/ada/shop${path}`, { as: allowed, form })).status).toBe(303);
  });

  it("lets only writers press the buttons of a check", async () => {
    const run = shop.repository.checkRuns[0]?.id;
    for (const [as, status] of [
      ["tia", 403],
      ["wes", 303],
    ] as const) {
      expect((await ask(`/ada/shop/runs/${run}/rerun`, { as, form: {} })).status).toBe(status);
      expect((await ask(`/ada/shop/runs/${run}/action`, { as, form: { identifier: "retry" } })).status).toBe(
        status,
      );
    }
  });

  it("lets everybody comment, but on a locked issue only writers", async () => {
    const form = { body: "hello" };
    expect((await ask("/ada/shop/issues/1/comments", { as: "sam", form })).status).toBe(303);
    shop.issue.locked = true;
    expect((await ask("/ada/shop/issues/1/comments", { as: "sam", form })).status).toBe(403);
    expect((await ask("/ada/shop/issues/1/comments", { as: "wes", form })).status).toBe(303);
  });

  it("hides a private repository from strangers", async () => {
    shop.repository.private = true;
    for (const path of ["/ada/shop", "/ada/shop/issues/1", "/ada/shop/raw/main/README.md"]) {
      expect((await ask(path, { as: "sam" })).status).toBe(404);
      expect((await ask(path, { as: "rae" })).status).toBe(200);
    }
    expect((await ask("/ada/shop/issues/1/comments", { as: "sam", form: { body: "x" } })).status).toBe(404);
    expect(await (await ask("/", { as: "sam" })).text()).not.toContain("ada/shop");
  });

  it("refuses forms from other sites", async () => {
    const sent = { as: "ada", form: { method: "merge" } };
    expect((await ask("/ada/shop/pull/2/merge", { ...sent, origin: "https://evil.example" })).status).toBe(
      403,
    );
    expect(shop.pull.pull.merged).toBe(false);
    expect((await ask("/ada/shop/pull/2/merge", { ...sent, origin: shop.world.github.url })).status).toBe(
      303,
    );
  });

  it("does not let the switch lead to another site or to a bot", async () => {
    const away = await ask("/playground/view-as", {
      as: "ada",
      form: { login: "rae", to: "//evil.example" },
    });
    expect(away.headers.get("location")).toBe("/");
    expect(away.headers.get("set-cookie")).toMatchInlineSnapshot(
      `"playground_viewer=rae; Path=/; HttpOnly; SameSite=Lax"`,
    );
    expect((await ask("/playground/view-as", { as: "ada", form: { login: "loom[bot]" } })).status).toBe(422);
  });
});

it("sends a strict policy and answers 304 while nothing changes", async () => {
  const first = await ask("/ada/shop/issues/1", { as: "ada" });
  expect(first.headers.get("content-security-policy")).toMatchInlineSnapshot(
    `"default-src 'self'; img-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"`,
  );
  const headers = { cookie: "playground_viewer=ada", "if-none-match": first.headers.get("etag") ?? "" };
  expect((await fetch(`${shop.url}/issues/1`, { headers })).status).toBe(304);
  await ask("/ada/shop/issues/1/comments", { as: "wes", form: { body: "news" } });
  expect((await fetch(`${shop.url}/issues/1`, { headers })).status).toBe(200);
});

it("merges only the commit that was looked at", async () => {
  const sha = shop.pull.pull.headSha;
  await shop.push("loom/totals", { "late.txt": "late\n" }, "Sneak something in");
  const answer = await ask("/ada/shop/pull/2/merge", { as: "ada", form: { method: "merge", sha } });
  expect([answer.status, shop.pull.pull.merged]).toEqual([409, false]);
  expect(await answer.text()).toContain("Head branch was modified. Review and try the merge again.");
});

it("shows admins what was delivered and delivers it again", async () => {
  const received: string[] = [];
  const receiver = createServer((request, response) => {
    received.push(`${request.headers["x-github-event"]} ${request.headers["x-github-delivery"]}`);
    request.resume();
    response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  installedOn(shop, `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`);
  await ask("/ada/shop/issues/1/comments", { as: "wes", form: { body: "hello" } });
  await shop.whenDelivered();
  const list = await (await ask("/deliveries", { as: "ada" })).text();
  expect(list).toContain("issue_comment.created");
  expect(list).toContain("went wrong.");
  expect(await (await ask("/deliveries", { as: "wes" })).text()).not.toContain("issue_comment.created");
  const delivery = shop.world.github.deliveries.find(({ event }) => event === "issue_comment");
  const path = `/deliveries/${delivery?.id}`;
  expect(await (await ask(path, { as: "ada" })).text()).toContain("&quot;body&quot;: &quot;hello&quot;");
  expect((await ask(`${path}/redeliver`, { as: "wes", form: {} })).status).toBe(404);
  expect((await ask(`${path}/redeliver`, { as: "ada", form: {} })).status).toBe(303);
  await shop.whenDelivered();
  expect(received.filter((one) => one === `issue_comment ${delivery?.guid}`)).toHaveLength(2);
  receiver.closeAllConnections();
  receiver.close();
});
