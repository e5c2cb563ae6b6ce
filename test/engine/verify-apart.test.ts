import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyCommit } from "../../src/engine/verify/verify-commit.ts";
import { aCheck, aPlan, aStage } from "../support/check-values.ts";
import { createVerifyWorld, type VerifyWorld } from "../support/verify-world.ts";

let world: VerifyWorld;
let commit: string;
beforeAll(async () => {
  world = await createVerifyWorld();
  commit = world.commit({
    "test/run.sh": "exit 1\n",
    "lib/a.txt": "a\n",
    "lib/deep/b.txt": "b\n",
    ".gitignore": "deps\n",
  });
});
afterAll(() => world.close());

/** Whether the tree is as committed, said by a check that comes after the one that meddled. */
const AS_COMMITTED = `
  sh test/run.sh; [ $? = 1 ] && [ "$(cat lib/a.txt lib/deep/b.txt | tr -d '\\n')" = ab ] &&
  [ ! -L lib ] && [ ! -x test/run.sh ] && [ -r lib/deep ] && [ -w lib ] &&
  [ -z "$(find . -name .git -prune -o -type f -print | grep -vE '^./(test/run.sh|lib/a.txt|lib/deep/b.txt|.gitignore|deps/.*)$')" ]`;

const WAYS = [
  ["empties a test", "echo exit 0 > test/run.sh"],
  [
    "empties a test and keeps its time",
    "touch -r test/run.sh /tmp/$$; echo exit 0 > test/run.sh; touch -r /tmp/$$ test/run.sh; rm /tmp/$$",
  ],
  ["changes a test by a second name of it", "ln test/run.sh x && echo exit 0 > x && rm x"],
  ["makes a test executable", "chmod +x test/run.sh"],
  ["removes a folder", "rm -r lib"],
  ["puts a link in the place of a folder", "mv lib other && ln -s other lib"],
  ["puts a folder in the place of a file", "rm test/run.sh && mkdir test/run.sh && echo x > test/run.sh/x"],
  ["puts a link in the place of a file", "echo exit 0 > /tmp/passes.$$; ln -sf /tmp/passes.$$ test/run.sh"],
  [
    "leaves settings",
    "echo script-shell=/bin/true > .npmrc; mkdir -p node_modules/.bin; echo x > node_modules/.bin/node",
  ],
  ["takes away the rights to a folder", "chmod 000 lib/deep"],
  ["leaves names that are no text", "touch $(printf '\\\\377\\\\376')"],
  ["changes git's own pointer", "rm -f .git; mkdir .git"],
] as const;

describe("a check", () => {
  it.each(WAYS)("decides nothing about the next when it %s", async (_what, meddle) => {
    const verdict = await world.verify(commit, {
      acceptance: [aCheck(meddle), aCheck(AS_COMMITTED)],
      truths: [aCheck(meddle)],
      after: [aCheck(AS_COMMITTED)],
    });
    expect(verdict.children.flatMap(({ children }) => children.map(({ outcome }) => outcome))).toEqual([
      "passed",
      "passed",
      "passed",
      "passed",
    ]);
  });

  it("has what the set-up made, which runs once while nobody touches that", async () => {
    const runs = join(world.folder, "runs-once");
    const verdict = await world.verify(commit, {
      setup: [`echo x >> ${runs}; mkdir deps; echo tool > deps/tool`],
      acceptance: [
        aCheck("grep -q tool deps/tool && echo litter > litter && echo exit 0 > test/run.sh"),
        aCheck("grep -q tool deps/tool && [ ! -e litter ] && ! sh test/run.sh"),
      ],
    });
    expect(verdict.outcome).toBe("passed");
    expect(readFileSync(runs, "utf8")).toBe("x\n");
  });

  it.each([
    ["a tool that was set up", "echo other > deps/tool"],
    ["a tool that is gone", "rm deps/tool"],
  ])("finds the set-up as it was, run again, after another changed %s", async (what, meddle) => {
    const runs = join(world.folder, `runs-again-${what.length}`);
    const verdict = await world.verify(commit, {
      setup: [`echo x >> ${runs}; mkdir deps; echo tool > deps/tool`],
      acceptance: [aCheck(meddle), aCheck("grep -q tool deps/tool")],
    });
    expect(verdict.outcome).toBe("passed");
    expect(readFileSync(runs, "utf8")).toBe("x\nx\n");
  });

  it("fails when the set-up that it needs again fails", async () => {
    const flag = join(world.folder, "flag");
    const verdict = await world.verify(commit, {
      setup: [`[ ! -e ${flag} ] && touch ${flag} && mkdir deps && echo tool > deps/tool`],
      acceptance: [aCheck("echo other > deps/tool"), aCheck("true")],
    });
    expect(verdict.children[1]?.children[1]).toMatchObject({
      outcome: "failed",
      detail: "the set-up had to be run again for this check and failed",
    });
  });

  it("has a sandbox, and with it a home, of its own", async () => {
    const purposes: string[] = [];
    let open = 0;
    const deps: typeof world.deps = {
      ...world.deps,
      async openSandbox(tree, purpose, marker, home) {
        purposes.push(purpose);
        open += 1;
        const sandbox = await world.deps.openSandbox(tree, purpose, marker, home);
        return {
          ...sandbox,
          async close() {
            open -= 1;
            await sandbox.close();
          },
        };
      },
    };
    const stage = aStage({ setup: ["true", "true"], acceptance: [aCheck("true"), aCheck("true")] });
    await verifyCommit(deps, {
      ...{ plan: aPlan(stage), stage, gate: [aCheck("true")], commit, base: world.base },
      ...{ projectRoot: world.repo, marker: world.marker },
    });
    expect(purposes).toEqual(["setup", "checks", "checks", "checks"]);
    expect(open).toBe(0);
  });
});
