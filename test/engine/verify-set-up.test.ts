import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aCheck } from "../support/check-values.ts";
import { createVerifyWorld, outline, type VerifyWorld } from "../support/verify-world.ts";

let world: VerifyWorld;
let commit: string;
beforeAll(async () => {
  world = await createVerifyWorld();
  commit = world.commit({
    "test/run.sh": "exit 1\n",
    "test/deep/more.sh": "exit 1\n",
    "test/.gitattributes": "*.sh text\n",
    "lock.json": "{}\n",
    ".gitignore": "deps\n",
  });
});
afterAll(() => world.close());

/** The tests are those of the commit, and what the set-up made is there. */
const AS_COMMITTED = aCheck(
  "[ ! -L test ] && [ -r test ] && [ \"$(cat test/run.sh test/deep/more.sh | tr '\\n' ,)\" = 'exit 1,exit 1,' ] && [ -e deps/tool ] && [ $(cat lock.json) = '{}' ]",
);

const WAYS = [
  ["empties a test", "echo exit 0 > test/run.sh"],
  [
    "empties a test and keeps its size and time",
    "touch -r test/run.sh t; echo exit 0 > test/run.sh; touch -r t test/run.sh; rm t",
  ],
  ["removes tests", "rm -r test"],
  ["puts a folder in the place of a test", "rm test/run.sh; mkdir test/run.sh"],
  ["puts a link in the place of a folder of tests", "mv test deps/test; ln -s deps/test test"],
  ["puts a file in the place of a folder of tests", "rm -r test/deep; echo x > test/deep"],
  ["takes away the rights to a folder of tests", "chmod 000 test"],
  [
    "leaves a pipe where git reads attributes",
    "rm test/.gitattributes; mkfifo test/.gitattributes .gitattributes; echo exit 0 > test/run.sh",
  ],
  [
    "has git take another encoding for the same text",
    "echo '*.sh text working-tree-encoding=IBM037' > test/.gitattributes; iconv -t IBM037 test/run.sh > t; mv t test/run.sh",
  ],
  [
    "hides a change behind attributes of its own",
    "echo '*.sh text working-tree-encoding=IBM037' > test/deep/.gitattributes; iconv -t IBM037 test/deep/more.sh > t; mv t test/deep/more.sh",
  ],
] as const;

describe("a set-up", () => {
  it.each(WAYS)("that %s leaves the checks what the commit has", async (_what, meddle) => {
    const setup = [`mkdir deps; echo x > deps/tool; ${meddle}`];
    for (const acceptance of [[AS_COMMITTED], [AS_COMMITTED, AS_COMMITTED]]) {
      const verdict = await world.verify(commit, { setup, acceptance });
      expect(verdict.children[1]?.children.map(({ outcome }) => outcome)).toEqual(
        acceptance.map(() => "passed"),
      );
    }
  });

  it("that changes files of the commit is pointed out, with their names", async () => {
    const setup = ["mkdir deps; echo x > deps/tool; echo '{ }' > lock.json; echo exit 0 > test/run.sh"];
    const verdict = await world.verify(commit, { setup, acceptance: [AS_COMMITTED] });
    expect(verdict.outcome).toBe("warned");
    expect(outline(verdict).slice(1, 4)).toMatchInlineSnapshot(`
      [
        "  warned setup",
        "    passed mkdir deps; echo x > deps/tool; echo '{ }' > lock.json; echo exit 0 > test/run.sh",
        "    warned files that set-up changes: set-up changes \`lock.json\`, \`test/run.sh\`; the checks ran with what the commit has instead. Commit what set-up generates, or keep it out of git",
      ]
    `);
  });

  it("that writes a file anew as it was changes nothing", async () => {
    const setup = [
      "mkdir deps; echo x > deps/tool; cp lock.json t; rm lock.json; mv t lock.json; touch test/run.sh test/.gitattributes",
    ];
    const verdict = await world.verify(commit, { setup, acceptance: [AS_COMMITTED, AS_COMMITTED] });
    expect(verdict.outcome).toBe("passed");
  });

  it("is not run again for a check that changes files of the commit", async () => {
    const runs = join(world.folder, "runs");
    const setup = [`echo x >> ${runs}; mkdir deps; echo x > deps/tool; echo '{ }' > lock.json`];
    const acceptance = [aCheck("echo '{  }' > lock.json"), AS_COMMITTED];
    expect((await world.verify(commit, { setup, acceptance })).outcome).toBe("warned");
    expect(readFileSync(runs, "utf8")).toBe("x\n");
  });

  it.each([
    [
      "folders in each other until no path is long enough",
      "n=$(printf 'd%.0s' $(seq 200)); for i in $(seq 40); do mkdir $n; cd -P $n; done",
    ],
    ["names that are no text", "touch $(printf '\\377\\376')"],
  ])("that leaves %s fails the checks, and is not put down to the machine", async (_what, leave) => {
    const verdict = await world.verify(commit, {
      setup: [leave],
      acceptance: [aCheck("true"), aCheck("true")],
    });
    expect(outline(verdict).slice(3)).toEqual([
      "  failed acceptance",
      ...["true", "true"].map(
        (command) =>
          `    failed ${command}: the set-up left something in the work tree that Loom can't look through, such as paths that are too long or names that are no text`,
      ),
    ]);
  });
});
