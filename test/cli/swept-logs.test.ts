import { utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createRunFiles } from "../../src/adapters/local/run-files.ts";
import { makeProject } from "../scenario/project.ts";
import { ending } from "../support/loom-cli.ts";

const ONE = { stages: [{ id: "one", acceptance: ["test -f one.txt"] }] };

it("says of a run whose logs were swept that they were, wherever somebody looks for them", async () => {
  const project = makeProject(ONE);
  const { run } = ending(await project.ask("run", "PLAN.md", "--json"));
  const before = (await project.ask("status", run)).stdout;
  expect(before).not.toContain("removed the logs");
  const disk = async (): Promise<string> =>
    / disk +(.*)/.exec((await project.ask("doctor")).stdout)?.[1] ?? "";
  expect(await disk()).toMatch(/^[1-9]\d* KB of logs, [1-9]\d* KB of ledgers, 0 work trees$/);
  const files = createRunFiles({ root: join(project.root, ".git", "loom", "runs") });
  await files.sweep(run, "2031-05-06T07:08:09.000Z");
  expect(await disk()).toMatch(/^0 KB of logs, [1-9]\d* KB of ledgers, 0 work trees$/);
  const said =
    "Loom removed the logs that this run had on 2031-05-06, to make room. LOOM_KEEP_DAYS and LOOM_KEEP_MB say what is kept.\n";
  expect((await project.ask("status", run)).stdout).toBe(before + said);
  expect((await project.ask("logs", run, "one")).stdout).toBe(said);
  expect((await project.ask("logs", run)).stdout).toContain(said);
  const page = join(project.notes, "report.html");
  expect((await project.ask("report", run, "--out", page)).stdout).toBe(
    `The report of ${run} is in ${page}.\n${said}`,
  );
  // Its ledger is there, so nothing is built twice.
  expect((await project.ask("run", "PLAN.md")).stdout).toContain("This plan is already built");
});

it("sweeps at the end of a run, once a day, without a word", async () => {
  const project = makeProject({ ...ONE, agent: "date +%s%N >> one.txt" });
  const swept = join(project.root, ".git", "loom", "swept");
  const first = await project.ask("run", "PLAN.md", "--json");
  const old = Date.parse("2020-01-01T00:00:00Z") / 1000;
  utimesSync(swept, old, old);
  const second = await project.ask("run", "PLAN.md", "--json", "--clean");
  expect(ending(second).status).toBe("completed");
  const types = (out: string): unknown[] =>
    out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).event?.type ?? JSON.parse(line).type);
  expect(types(second.stdout).sort()).toEqual(types(first.stdout).sort());
});

it("says of a limit that is no number what is used instead", async () => {
  const project = makeProject(ONE).with({ env: { LOOM_KEEP_DAYS: "soon" } });
  const { code, stdout } = await project.ask("run", "PLAN.md");
  expect(code).toBe(0);
  expect(stdout).toContain("LOOM_KEEP_DAYS=soon is not a whole number of at least 1; using 90.");
});
