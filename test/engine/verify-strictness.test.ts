import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gateChecks } from "../../src/core/verify/criteria.ts";
import { createVerifyWorld, outline, type VerifyWorld } from "../support/verify-world.ts";

let world: VerifyWorld;
beforeAll(async () => {
  world = await createVerifyWorld();
});
afterAll(() => world.close());

describe("how strict a proof is", () => {
  it("decides whether a gate that was red before is held against the stage", async () => {
    const commit = world.commit({ "a.txt": "a\n" });
    const gate = gateChecks(["test -f a.txt", "test -f never.txt"]);
    const normal = outline(await world.verify(commit, {}, { gate }));
    expect(normal).toMatchInlineSnapshot(`
      [
        "warned checks",
        "  warned gate",
        "    passed test -f a.txt",
        "    warned test -f never.txt: exited with 1 (expected 0); fails on the base as well",
      ]
    `);
    expect(outline(await world.verify(commit, {}, { gate, strictness: "lenient" }))).toEqual(normal);
    expect(outline(await world.verify(commit, {}, { gate, strictness: "strict" }))).toMatchInlineSnapshot(`
      [
        "failed checks",
        "  failed gate",
        "    passed test -f a.txt",
        "    failed test -f never.txt: exited with 1 (expected 0); fails on the base as well; a failure, because validation is strict",
      ]
    `);
  });

  it("lets a stage that breaks the gate through only where it is lenient", async () => {
    const base = world.commit({ "works.txt": "yes\n" });
    const commit = world.commit({ "works.txt": null }, base);
    const gate = gateChecks(["test -f works.txt"]);
    for (const strictness of ["strict", "normal"] as const)
      expect((await world.verify(commit, {}, { base, gate, strictness })).outcome).toBe("failed");
    const lenient = await world.verify(commit, {}, { base, gate, strictness: "lenient" });
    expect(outline(lenient)).toMatchInlineSnapshot(`
      [
        "warned checks",
        "  warned gate",
        "    warned test -f works.txt: exited with 1 (expected 0); only a warning, because validation is lenient",
      ]
    `);
  });

  it("never excuses what the plan asks of the stage itself", async () => {
    const commit = world.commit({ "a.txt": "a\n" });
    const verdict = await world.verify(
      commit,
      { acceptance: gateChecks(["test -f b.txt"]) },
      { strictness: "lenient" },
    );
    expect(outline(verdict)).toMatchInlineSnapshot(`
      [
        "failed checks",
        "  failed acceptance",
        "    failed test -f b.txt: exited with 1 (expected 0)",
      ]
    `);
  });

  it("counts any warning where it is strict, such as a bug fix without its test", async () => {
    const commit = world.commit({ "a.txt": "a\n" });
    const verdict = await world.verify(commit, { bugFix: true }, { strictness: "strict" });
    expect(outline(verdict)).toMatchInlineSnapshot(`
      [
        "failed checks",
        "  failed regression test",
        "    failed regression_test: the plan calls this a bug fix and names no regression test; a failure, because validation is strict",
      ]
    `);
  });
});
