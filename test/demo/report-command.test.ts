import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeProject } from "../scenario/project.ts";

it("writes a local run as a page that holds what failed and why", async () => {
  const project = makeProject({
    stages: [
      { id: "fine", acceptance: ["test -f fine.txt"] },
      { id: "broken", dependencies: ["fine"], acceptance: ["echo 1 of 2 tests failed; exit 1"], retries: 0 },
    ],
    agent: 'echo x > "$LOOM_STAGE_ID.txt"',
  });
  expect((await project.ask("run", "PLAN.md")).code).toBe(1);

  const { code, stdout } = await project.ask("report", "--out", "../run.html");
  const path = join(project.root, "..", "run.html");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^The report of plan-[0-9a-f]+ is in .*run\.html\.\n$/);
  const page = readFileSync(path, "utf8");
  expect(page).toContain("✗ blocked");
  expect(page).toContain("<pre>1 of 2 tests failed</pre>");

  const missing = await project.ask("report", "--out", "no/such/folder/run.html");
  expect(missing.code).toBe(1);
  expect(missing.stderr).toContain("Name a file in a folder that exists: `--out FILE`.");
  expect((await project.ask("report", "nothing")).stderr).toContain("There is no run nothing.");
});
