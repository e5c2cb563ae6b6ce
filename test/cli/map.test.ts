import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { map } from "../../src/cli/commands/map.ts";
import { git, makeRepo, tempFolder } from "../support/git-repo.ts";

async function ask(cwd: string, json = false): Promise<string> {
  const stdout = new PassThrough();
  const env = { PATH: process.env.PATH, HOME: tempFolder() };
  expect(await map({ cwd, env, stdout, stderr: stdout }, { json })).toBe(0);
  stdout.end();
  return text(stdout);
}

describe("loom map", () => {
  it("shows what the current commit holds, and not what lies beside it", async () => {
    const repo = makeRepo({ "README.md": "hello\n", "src/main.py": "", "tests/test_main.py": "" });
    repo.write({ "package.json": "{}" });
    expect(await ask(repo.root)).toMatchInlineSnapshot(`
      "# Codebase map

      Facts from the files of one commit. Nothing was run, and nothing is judged.

      ## Signals

      - Files: 3 in 2 folders, at most 1 deep
      - Languages by files: Python 2
      - Tests: 1 file in folders of their own
      - Largest folders, by files directly in them: the root 1, \`src\` 1, \`tests\` 1

      ## Architecture

      - \`src/\` 1 file
      - \`tests/\` 1 file
      - Entry points, by their names: \`src/main.py\`

      ## Conventions

      - Documents: \`README.md\`

      ## Concerns

      - No configuration of a CI service was found.
      "
    `);
    const json = JSON.parse(await ask(repo.root, true));
    expect(json).toMatchObject({ version: 1, signals: { files: 3, tests: { files: 1 } } });
  });

  it("says that there is nothing to make a map of yet", async () => {
    const root = tempFolder();
    git(root, "init", "-q");
    await expect(ask(root)).rejects.toThrow("This repository has no commit yet.");
  });
});
