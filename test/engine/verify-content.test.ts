import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aCheck } from "../support/check-values.ts";
import { createVerifyWorld, outline, type VerifyWorld } from "../support/verify-world.ts";

let world: VerifyWorld;
beforeAll(async () => {
  world = await createVerifyWorld();
});
afterAll(() => world.close());

const REAL = "export const answer = 6 * 7;\n";
const STUB = 'export function answer() {\n  throw new Error("not implemented");\n}\n';

describe("artifacts", () => {
  it("have to be in the commit and be more than a stub", async () => {
    const commit = world.commit({
      "src/real.ts": REAL,
      "src/stub.ts": STUB,
      "src/empty.ts": "",
      "docs/a.md": "# A\n\nText.\n",
    });
    const verdict = await world.verify(commit, {
      artifacts: ["src/real.ts", "src/*.ts", "src/stub.ts", "src/empty.ts", "docs", "lib/**", "src/{a"],
    });
    expect(outline(verdict)).toMatchInlineSnapshot(`
      [
        "failed checks",
        "  failed artifacts",
        "    passed src/real.ts: is there",
        "    failed src/*.ts: \`src/empty.ts\` is empty; \`src/stub.ts\` holds hardly more than \`throw new Error("not implemented")\` (line 2)",
        "    failed src/stub.ts: holds hardly more than \`throw new Error("not implemented")\` (line 2)",
        "    failed src/empty.ts: is empty",
        "    passed docs: is there",
        "    failed lib/**: names no regular file of the commit",
        "    failed src/{a: The file pattern \`src/{a\` can't be read: a brace is never closed",
      ]
    `);
  });

  it("are not read through a link to a file of the system", async () => {
    const commit = world.commit({ "src/users.txt": { link: "/etc/passwd" } });
    const verdict = await world.verify(commit, { artifacts: ["src/users.txt"] });
    expect(outline(verdict)).toMatchInlineSnapshot(`
      [
        "failed checks",
        "  failed artifacts",
        "    failed src/users.txt: names no regular file of the commit",
      ]
    `);
    expect(JSON.stringify(verdict)).not.toContain("root:");
  });

  it("are read from the commit, not from what a command left in the checkout", async () => {
    const commit = world.commit({ "src/stub.ts": STUB });
    const verdict = await world.verify(commit, {
      acceptance: [aCheck("echo 'export const a = 1;' > src/made.ts && cp src/made.ts src/stub.ts")],
      artifacts: ["src/made.ts", "src/stub.ts"],
    });
    expect(verdict.children[1]?.children.map((one) => one.outcome)).toEqual(["failed", "failed"]);
  });

  it("are looked for in the working folder first, then from the root", async () => {
    const commit = world.commit({ "api/src/a.ts": REAL, "src/a.ts": "", "README.md": "# A\n\nText.\n" });
    const verdict = await world.verify(commit, { workingDir: "api", artifacts: ["src/a.ts", "README.md"] });
    expect(verdict.outcome).toBe("passed");
  });

  it("do not blame a stage for an old stub among many files, but for one it should have replaced", async () => {
    const base = world.commit({ "src/old.ts": STUB });
    const commit = world.commit({ "src/new.ts": REAL }, base);
    const verdict = await world.verify(commit, { artifacts: ["src/*.ts", "src/old.ts"] }, { base });
    expect(outline(verdict)).toMatchInlineSnapshot(`
      [
        "failed checks",
        "  failed artifacts",
        "    warned src/*.ts: \`src/old.ts\` holds hardly more than \`throw new Error("not implemented")\` (line 2)",
        "    failed src/old.ts: holds hardly more than \`throw new Error("not implemented")\` (line 2)",
      ]
    `);
  });
});

describe("wiring", () => {
  it("has to be found in its source, line by line", async () => {
    const commit = world.commit({
      "src/main.rs": "mod auth;\r\nuse auth::login;\r\n\r\nfn main() {}\r\n",
      "link.rs": { link: "src/main.rs" },
      "big.rs": "use auth::login;\n".repeat(70_000),
    });
    const check = (source: string, pattern: string, description: string | null = null) => ({
      source,
      pattern,
      description,
    });
    const verdict = await world.verify(commit, {
      wiring: [
        check("src/main.rs", "^use auth::\\w+;$", "Auth is imported"),
        check("src/main.rs", "use billing::"),
        check("src/*.rs", "mod auth"),
        check("src/lib.rs", "x", "The library uses it"),
        check("link.rs", "mod auth"),
        check("big.rs", "use auth"),
        check("src/main.rs", "(unclosed"),
      ],
    });
    expect(outline(verdict)).toMatchInlineSnapshot(`
      [
        "failed checks",
        "  failed wiring",
        "    passed Auth is imported: \`src/main.rs\` has a match for \`^use auth::\\w+;$\`",
        "    failed src/main.rs: has no match for \`use billing::\`",
        "    passed src/*.rs: has a match for \`mod auth\`",
        "    failed The library uses it: \`src/lib.rs\` names no regular file of the commit",
        "    failed link.rs: names no regular file of the commit",
        "    failed big.rs: is too large to look into",
        "    failed src/main.rs: The pattern \`(unclosed\` can't be read: missing closing ): \`(unclosed\`",
      ]
    `);
  });
});

describe("a stage's own files", () => {
  it("are the only ones it should touch; others are pointed out", async () => {
    const commit = world.commit({ "src/a.ts": REAL, "docs/x.md": "# X\n", "package.json": "{}" });
    const verdict = await world.verify(commit, { files: ["src/**"], artifacts: ["src/a.ts"] });
    expect(outline(verdict)).toMatchInlineSnapshot(`
      [
        "warned checks",
        "  passed artifacts",
        "    passed src/a.ts: is there",
        "  warned files: changed outside of the stage's own files: \`docs/x.md\`, \`package.json\`",
      ]
    `);
    expect((await world.verify(commit, { files: ["src", "docs/", "*.json"] })).children).toMatchObject([
      { outcome: "passed" },
    ]);
  });
});

describe("criteria", () => {
  it("come from the approved plan: a commit that edits the plan changes nothing", async () => {
    const plan = "```yaml\nloom:\n  stages:\n    - id: build-api\n      acceptance: ['true']\n```\n";
    const base = world.commit({ "PLAN.md": plan.replace("'true'", "'test -f done'") });
    const commit = world.commit({ "PLAN.md": plan, ".loom/gate": "exit 0\n" }, base);
    const verdict = await world.verify(
      commit,
      { acceptance: [aCheck("test -f done")] },
      { base, gate: [aCheck("test -f green")], gateBase: world.commit({ green: "" }) },
    );
    expect(outline(verdict)).toEqual([
      "failed checks",
      "  failed acceptance",
      "    failed test -f done: exited with 1 (expected 0)",
      "  failed sandbox: changed what the sandbox rules of the plan forbid: `.loom/gate`",
      "  failed gate",
      "    failed test -f green: exited with 1 (expected 0)",
    ]);
  });
});

describe("what others' machines act on", () => {
  it("is pointed out on every commit, whoever made it", async () => {
    const commit = world.commit({
      "src/a.ts": `${REAL}// \u202e\n`,
      ".npmrc": "script-shell=./x\n",
      ".gitattributes": "*.ts -diff\n",
    });
    expect(outline(await world.verify(commit, { artifacts: ["src/a.ts"] }))).toMatchInlineSnapshot(`
      [
        "warned checks",
        "  passed artifacts",
        "    passed src/a.ts: is there",
        "  warned published files",
        "    warned .gitattributes: hides changes from readers: \`*.ts -diff\`",
        "    warned src/a.ts: reverses the direction of text",
        "    warned .npmrc: look at it before you merge: it decides where packages come from, or runs while they are installed",
      ]
    `);
  });
});
