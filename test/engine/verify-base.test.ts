import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aCheck } from "../support/check-values.ts";
import { createVerifyWorld, outline, type VerifyWorld } from "../support/verify-world.ts";

let world: VerifyWorld;
beforeAll(async () => {
  world = await createVerifyWorld();
});
afterAll(() => world.close());

describe("a gate that fails", () => {
  it("fails the commit when the base passes it", async () => {
    const base = world.commit({ "value.txt": "1\n" });
    const commit = world.commit({ "value.txt": "2\n" }, base);
    const verdict = await world.verify(
      commit,
      {},
      { base, gate: [aCheck("grep 1 value.txt"), aCheck("true")] },
    );
    expect(outline(verdict)).toMatchInlineSnapshot(`
      [
        "failed checks",
        "  failed gate",
        "    failed grep 1 value.txt: exited with 1 (expected 0)",
        "    passed true",
      ]
    `);
  });

  it("is only pointed out when it fails on the base as well", async () => {
    const commit = world.commit({ "value.txt": "2\n" });
    const verdict = await world.verify(commit, {}, { gate: [aCheck("test -f never"), aCheck("true")] });
    expect(outline(verdict)).toMatchInlineSnapshot(`
      [
        "warned checks",
        "  warned gate",
        "    warned test -f never: exited with 1 (expected 0); fails on the base as well",
        "    passed true",
      ]
    `);
    expect(world.openTrees()).toBe(0);
  });

  it("is compared with a base that was set up like the commit", async () => {
    const base = world.commit({ "value.txt": "1\n" });
    const commit = world.commit({ "value.txt": "2\n" }, base);
    const gate = [aCheck("test -f installed && grep 1 value.txt")];
    const ready = await world.verify(commit, { setup: ["touch installed"] }, { base, gate });
    expect(ready.outcome).toBe("failed");
    const setup = ["grep 2 value.txt && touch installed"];
    expect((await world.verify(commit, { setup }, { base, gate })).outcome).toBe("failed");
  });

  it("is not asked twice when it passes", async () => {
    const commit = world.commit({ "value.txt": "2\n" });
    world.spawned.length = 0;
    await world.verify(commit, {}, { gate: [aCheck("true")] });
    expect(world.spawned).toHaveLength(1);
  });
});

describe("a bug fix", () => {
  const command = "sh test/regress.sh";
  const regressionTest = { file: "test/regress.sh", mustContain: ["sum"], command };
  const test = 'test "$(sh sum.sh 2 2)" = 4 # sum\n';
  const BROKEN = "echo 5\n";
  const FIXED = "echo $(($1 + $2))\n";

  it("brings a test that fails without the fix and passes with it", async () => {
    const base = world.commit({ "sum.sh": BROKEN });
    const commit = world.commit({ "sum.sh": FIXED, "test/regress.sh": test }, base);
    const verdict = await world.verify(commit, { bugFix: true, regressionTest }, { base });
    expect(outline(verdict)).toMatchInlineSnapshot(`
      [
        "passed checks",
        "  passed regression test",
        "    passed test/regress.sh: is there and belongs to this change",
        "    passed sh test/regress.sh",
        "    passed sh test/regress.sh: fails without the fix, as it should",
      ]
    `);
  });

  it("is not believed when the test passes without it", async () => {
    const base = world.commit({ "sum.sh": FIXED });
    const commit = world.commit({ "test/regress.sh": test }, base);
    const verdict = await world.verify(commit, { bugFix: true, regressionTest }, { base });
    expect(outline(verdict)).toMatchInlineSnapshot(`
      [
        "failed checks",
        "  failed regression test",
        "    passed test/regress.sh: is there and belongs to this change",
        "    passed sh test/regress.sh",
        "    failed sh test/regress.sh: passes without the fix as well, so it does not show the bug",
      ]
    `);
  });

  it("is not believed when the test is missing, old, or about something else", async () => {
    const base = world.commit({ "sum.sh": BROKEN, "test/old.sh": test });
    const commit = world.commit({ "sum.sh": FIXED, "test/regress.sh": "true\n" }, base);
    const ask = async (file: string) => {
      const test = { file, mustContain: ["sum", "2 2"], command: null };
      return outline(await world.verify(commit, { bugFix: true, regressionTest: test }, { base }))[2];
    };
    expect([
      await ask("test/none.sh"),
      await ask("test/old.sh"),
      await ask("test/regress.sh"),
    ]).toMatchInlineSnapshot(`
      [
        "    failed test/none.sh: names no regular file of the commit",
        "    failed test/old.sh: was not changed by this stage",
        "    failed test/regress.sh: does not contain \`sum\`, \`2 2\`",
      ]
    `);
  });

  it("does not try the base while the test fails on the commit", async () => {
    const commit = world.commit({ "sum.sh": BROKEN, "test/regress.sh": test });
    world.spawned.length = 0;
    const verdict = await world.verify(commit, { bugFix: true, regressionTest });
    expect(verdict.outcome).toBe("failed");
    expect(world.spawned).toHaveLength(1);
  });

  it("takes a command that can't be run on the base for no proof", async () => {
    const commit = world.commit({ "tool.sh": "#!/bin/sh\n", "sum.sh": FIXED, "test/regress.sh": test });
    const regression = { ...regressionTest, command: "test -f tool.sh || exit 127; sh test/regress.sh" };
    const verdict = await world.verify(commit, { bugFix: true, regressionTest: regression });
    expect(outline(verdict).at(-1)).toMatchInlineSnapshot(
      `"    warned test -f tool.sh || exit 127; sh test/regress.sh: can't be run without the fix (exit 127), which says little"`,
    );
  });

  it("works in a folder that only the commit has", async () => {
    const commit = world.commit({ "new/sum.sh": FIXED, "new/test/regress.sh": test });
    const verdict = await world.verify(commit, { bugFix: true, workingDir: "new", regressionTest });
    expect(outline(verdict).at(-1)).toBe(
      "    passed sh test/regress.sh: fails without the fix, as it should",
    );
  });

  it("is pointed out when the plan names no test for it", async () => {
    const verdict = await world.verify(world.commit({ a: "a\n" }), { bugFix: true });
    expect(outline(verdict)).toMatchInlineSnapshot(`
      [
        "warned checks",
        "  warned regression test",
        "    warned regression_test: the plan calls this a bug fix and names no regression test",
      ]
    `);
  });
});
