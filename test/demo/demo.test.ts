import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { childrenOf, isAlive } from "../support/living-processes.ts";
import { type DemoProcess, startDemo } from "./start-demo.ts";

let tmp: string;
let demo: DemoProcess | null = null;

beforeEach(async () => {
  tmp = await mkdtemp(join(tmpdir(), "loom-test-demo-"));
});

afterEach(async () => {
  demo?.child.kill("SIGKILL");
  await demo?.ended;
  demo = null;
  await rm(tmp, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

it("plays the whole story by itself and leaves nothing but the report", async () => {
  demo = startDemo("main.js", [], tmp);
  const { code } = await demo.ended;
  const said = demo.said();
  expect(said).toContain("Done in");
  expect(code).toBe(0);

  // In the order in which a person would see it.
  const beats = [
    /wes +comments on #2: \/loom run/,
    /Loom answers on #2: An agent \(scripted\) reads the code/,
    /Loom asks on #2: Should capital letters make a different word\?/,
    /a\) no, all words in lower case \(default\)/,
    /b\) yes, as they are written/,
    /wes +comments on #2: 1a/,
    /Loom answers on #2: Taken\./,
    /Loom opens #4 Plan: Say which words a text uses most/,
    /Loom answers on #2: The plan is open: #4/,
    /Loom\s+sent\s+the\s+first\s+draft\s+back\s+with\s+1\s+problem;\s+this\s+one\s+has\s+none\./,
    /tokenize {2}Split a text into words +coder\n/,
    /docs +Document it +technical-writer, after report\n/,
    /tia +sets the label "loom: approve" on #4/,
    /Loom removes the label "loom: approve" from #4/,
    /ada +sets the label "loom: approve" on #4/,
    /Loom tokenize: an agent is at work/,
    /Loom merges #\d+ Split a text into words/,
    /Loom longest did not pass its checks; try 2 begins/,
    /Loom (?:longest|count) (?:conflicts with what was merged|has to catch up with what was merged)/,
    /Loom merges #\d+ Write the report/,
    /Loom merges #\d+ Try everything together/,
    /Loom check "loom \/ gate": Done: 7 of 7 stages done/,
    /wes +closes #2/,
    /[0-9a-f]{7} {2}Try everything together/,
    /7 of 7 stages merged in 9 attempts/,
    /1 failed and was tried again, 1 merge conflict was resolved/,
  ];
  let from = 0;
  for (const beat of beats) {
    const found = said.slice(from).search(beat);
    expect(found, `${beat} after what came before, in:\n${said}`).toBeGreaterThanOrEqual(0);
    from += found;
  }
  const tooLong = said.split("\n").filter((line) => line.length > 80 && !line.includes(tmp));
  expect(tooLong).toEqual([]);
  expect(said).not.toContain("\u001b[");

  const path = /The report of the run: +(\S+)/.exec(said)?.[1] ?? "";
  const report = await readFile(path, "utf8");
  const plan = await readFile(resolve(import.meta.dirname, "../../demo/PLAN.md"), "utf8");
  const stages = Array.from(plan.matchAll(/- id: (\S+)/g), ([, id]) => id ?? "");
  expect(stages).toHaveLength(7);
  for (const stage of stages) expect(report).toContain(`<h3><span class="mono">${stage}</span></h3>`);
  expect(report).toContain("Say which words a text uses most");
  expect(report).toContain("It conflicted with what was merged meanwhile: src/index.js.");
  expect((await readdir(tmp)).filter((name) => !name.startsWith("loom-report-"))).toEqual([]);
});

it("is stopped by Ctrl-C at any time and removes everything", async () => {
  demo = startDemo("main.js", [], tmp);
  await demo.saw(/tokenize: an agent is at work/);
  const children = childrenOf(demo.pid);
  expect(children.length).toBeGreaterThan(0);
  demo.child.kill("SIGINT");
  expect((await demo.ended).code).toBe(130);
  expect(demo.said()).toContain("The demo was stopped, and everything was removed.");
  expect(children.filter(isAlive)).toEqual([]);
  expect(await readdir(tmp)).toEqual([]);
});

it("says what is wrong when Redis can't be reached", async () => {
  demo = startDemo("main.js", [], tmp, { REDIS_URL: "redis://127.0.0.1:1" });
  expect((await demo.ended).code).toBe(1);
  expect(demo.said()).toContain("The demo failed: Loom can't use the Redis at REDIS_URL: ");
  expect(await readdir(tmp)).toEqual([]);
});
