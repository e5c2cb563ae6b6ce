import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isStateDir, readStateDir, runFolder } from "../../../src/core/config/run-folder.ts";

describe("the folder of a run's documents", () => {
  it("is .loom/<run> unless the run's settings name another", () => {
    expect(runFolder({}, "plan-1")).toBe(".loom/plan-1");
    expect(runFolder({ stateDir: "docs/loom" }, "plan-1")).toBe("docs/loom/plan-1");
  });

  it.each([
    [".loom", ".loom"],
    ["./docs/loom/", "docs/loom"],
    [" docs//loom ", "docs/loom"],
    [".loom/runs", ".loom/runs"],
    ["state.d/a_b-c", "state.d/a_b-c"],
  ])("may be %s", (written, path) => {
    expect(readStateDir(written)).toEqual({ kind: "folder", path });
    expect(isStateDir(path)).toBe(true);
  });

  it("can't lie outside, at the root, or where git, pipelines, reviews or agents look", () => {
    const refusals = [
      ...["", "..", "docs/../..", "/etc/loom", "C:\\loom", "~/loom", "-x", "./-x", "."],
      ...[
        ".git",
        "a/.GIT/b",
        ".github",
        ".GitHub/loom",
        ".gitlab",
        ".claude",
        "docs/CODEOWNERS",
        "a/.cursor",
      ],
      ...["a b", "a\nb", "src/*", "{a,b}", "a:b", "x".repeat(201), "docs\\loom", "…"],
    ].map((written) => {
      const read = readStateDir(written);
      return `${JSON.stringify(written.slice(0, 20))} ${read.kind === "refused" ? read.reason : "is fine"}`;
    });
    expect(refusals).toMatchInlineSnapshot(`
      [
        """ is empty",
        "".." leads out of the work tree",
        ""docs/../.." leads out of the work tree",
        ""/etc/loom" is absolute",
        ""C:\\\\loom" is absolute",
        ""~/loom" begins with \`~\`",
        ""-x" begins with \`-\`",
        ""./-x" begins with \`-\`",
        ""." is the whole repository",
        "".git" belongs to git",
        ""a/.GIT/b" belongs to git",
        "".github" belongs to pipelines, reviews or agents",
        "".GitHub/loom" belongs to pipelines, reviews or agents",
        "".gitlab" belongs to pipelines, reviews or agents",
        "".claude" belongs to pipelines, reviews or agents",
        ""docs/CODEOWNERS" belongs to pipelines, reviews or agents",
        ""a/.cursor" belongs to pipelines, reviews or agents",
        ""a b" has other characters than letters, digits, \`.\`, \`_\`, \`-\`, \`@\` and \`+\`",
        ""a\\nb" holds a line break",
        ""src/*" has other characters than letters, digits, \`.\`, \`_\`, \`-\`, \`@\` and \`+\`",
        ""{a,b}" has other characters than letters, digits, \`.\`, \`_\`, \`-\`, \`@\` and \`+\`",
        ""a:b" has other characters than letters, digits, \`.\`, \`_\`, \`-\`, \`@\` and \`+\`",
        ""xxxxxxxxxxxxxxxxxxxx" is longer than 200 characters",
        ""docs\\\\loom" has other characters than letters, digits, \`.\`, \`_\`, \`-\`, \`@\` and \`+\`",
        ""…" has other characters than letters, digits, \`.\`, \`_\`, \`-\`, \`@\` and \`+\`",
      ]
    `);
  });

  it("stays inside and out of .git whatever is written", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[./\w~-]{0,30}$/)), (written) => {
        const read = readStateDir(written);
        if (read.kind === "refused") return;
        const names = read.path.split("/");
        expect(names.some((name) => name === "" || name === "." || name === "..")).toBe(false);
        expect(names.map((name) => name.toLowerCase())).not.toContain(".git");
        expect(readStateDir(read.path)).toEqual(read);
      }),
    );
  });
});
