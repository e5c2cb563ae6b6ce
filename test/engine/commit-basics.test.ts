import { expect, it } from "vitest";
import { stageOf } from "../../src/core/run/run.ts";
import { commitBasics } from "../../src/engine/attempt/save-work.ts";
import { aRun, shaOf } from "../support/a-run.ts";

it("a commit of an attempt is held to the limits that the run was started with", () => {
  const run = aRun([{ id: "one" }]).run;
  const left = { run, plan: stageOf(run, "one").plan, attempt: 1, tree: { path: "/t" }, base: shaOf("base") };
  expect(commitBasics(left).limits).toEqual({ files: 5_000, megabytes: 100 });
  const change = { files: 7, megabytes: 1 };
  const told = { ...run, settings: { ...run.settings, change } };
  expect(commitBasics({ ...left, run: told }).limits).toEqual(change);
});
