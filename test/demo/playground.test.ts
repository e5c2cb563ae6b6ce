import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { childrenOf, isAlive, until } from "../support/living-processes.ts";
import { withoutBubblewrap } from "../support/without-bubblewrap.ts";
import { type DemoProcess, startDemo } from "./start-demo.ts";

let tmp: string;
let playground: DemoProcess | null = null;

beforeEach(async () => {
  tmp = await mkdtemp(join(tmpdir(), "loom-test-playground-"));
});

afterEach(async () => {
  playground?.child.kill("SIGKILL");
  await playground?.ended;
  playground = null;
  await rm(tmp, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

async function page(address: string, as = "ada"): Promise<string> {
  const answer = await fetch(address, { headers: { cookie: `playground_viewer=${as}` } });
  expect(answer.status).toBe(200);
  return answer.text();
}

it("says loudly that it has no sandbox where bubblewrap does not work, and opens all the same", async () => {
  playground = startDemo("playground-main.js", [], tmp, { PATH: withoutBubblewrap() });
  const [said] = await playground.saw(/NO SANDBOX.*?\n\n|The playground is open/s);
  expect(said).toMatchInlineSnapshot(`
    "NO SANDBOX. The demo sets LOOM_SANDBOX=off for itself, because its agents only follow a script.
    With real agents, have one first: bubblewrap can't build a sandbox here: No permissions to create a new namespace

    "
  `);
  await playground.saw(/Ctrl-C ends /);
  playground.child.kill("SIGINT");
  expect((await playground.ended).code).toBe(0);
  playground = startDemo("main.js", [], tmp, { PATH: withoutBubblewrap() });
  await playground.saw(/NO SANDBOX/);
  await playground.saw(/wes +comments on #2: \/loom run/);
  playground.child.kill("SIGINT");
  await playground.ended;
});

it("is open with Loom attached until Ctrl-C, and its four steps lead to a plan that is approved", async () => {
  playground = startDemo("playground-main.js", [], tmp);
  const [, issue = ""] = await playground.saw(/1\. Open (\S+)\n[\s\S]*Ctrl-C ends .*\n/);
  expect(playground.said().replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:4000")).toMatchInlineSnapshot(`
    "Opening a GitHub look-alike and starting Loom …
    The playground is open: http://127.0.0.1:4000
    Loom is attached: one process that keeps its data in files.
    Its agents follow scripts: no model, no key.

    Four steps to try:
      1. Open http://127.0.0.1:4000/ada/wordcount/issues/2
      2. Comment there: /loom run
      3. Answer the planner's question there: 1a
      4. On the plan's pull request, which Loom links, set the label: loom: approve

    Then watch Loom build it. Meanwhile, try these comments:
      /loom ask How is this tested?     on any issue or pull request
      /loom review                      on http://127.0.0.1:4000/ada/wordcount/pull/4
      /loom help                        anywhere

    Ctrl-C ends the playground and removes everything.
    "
  `);
  const home = issue.replace(/\/issues\/\d+$/, "");
  const first = (await page(new URL("/", issue).href)).replaceAll(/<[^>]*>/g, "|").replaceAll(/\|+/g, "|");
  expect(first).toContain(
    "|Four steps to try|Open |#2 Say which words a text uses most|Comment there: |/loom run|Answer the planner&#39;s question there: |1a|On the plan&#39;s pull request, which Loom links, set the label: |loom: approve|",
  );
  expect(first).toContain("|Says which words a text uses most. · Pushed |");
  expect(await page(issue)).toContain("Say which words a text uses most");

  const post = (address: string, fields: Record<string, string>) =>
    fetch(address, {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { cookie: "playground_viewer=wes" },
      redirect: "manual",
    });
  expect((await post(`${issue}/comments`, { body: "/loom run" })).status).toBe(303);
  await until(
    async () => (await page(issue)).includes("Should capital letters make a different word?"),
    "the planner asks",
  );
  expect((await post(`${issue}/comments`, { body: "1a" })).status).toBe(303);
  await until(async () => (await page(`${home}/pulls`)).includes("Plan: Say which words"), "a plan is open");
  const [, number = ""] = /\/pull\/(\d+)"[^>]*>Plan: Say/.exec(await page(`${home}/pulls`)) ?? [];
  const pull = `${home}/pull/${number}`;
  // The label is there to be chosen before anybody has used it.
  expect(await page(pull)).toContain('value="loom: approve"');
  expect((await post(`${home}/issues/${number}/labels`, { add: "loom: approve" })).status).toBe(303);
  await until(async () => (await page(pull)).includes("Approved by wes"), "the plan is approved");

  const proposed = `${home}/pull/4`;
  expect((await post(`${home}/issues/4/comments`, { body: "/loom review" })).status).toBe(303);
  await until(async () => (await page(proposed)).includes("Findings: 2 new"), "the review is written");
  expect(await page(proposed)).toContain("Returns one word too few");
  expect((await post(`${issue}/comments`, { body: "/loom ask How is this tested?" })).status).toBe(303);
  await until(
    async () => (await page(issue)).includes("only checks that the package loads"),
    "the question is answered",
  );

  const children = childrenOf(playground.pid);
  expect(children.length).toBeGreaterThan(0);
  playground.child.kill("SIGINT");
  expect((await playground.ended).code).toBe(0);
  expect(playground.said()).toContain("The playground is closed, and everything was removed.");
  expect(children.filter(isAlive)).toEqual([]);
  expect(await readdir(tmp)).toEqual([]);
});

it("leaves nothing running even when it is killed", async () => {
  playground = startDemo("playground-main.js", [], tmp);
  await playground.saw(/Four steps to try/);
  const children = childrenOf(playground.pid);
  expect(children.length).toBeGreaterThan(0);
  playground.child.kill("SIGKILL");
  await playground.ended;
  await until(() => children.every((pid) => !isAlive(pid)), "Loom has ended");
});

it("refuses a port that is none", async () => {
  playground = startDemo("playground-main.js", ["--port", "http"], tmp);
  expect((await playground.ended).code).toBe(1);
  expect(playground.said()).toContain(
    'Can\'t open the playground: --port is "http". Give a number from 0 to 65535.',
  );
});
