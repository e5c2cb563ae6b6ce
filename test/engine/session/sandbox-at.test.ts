import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createPatterns } from "../../../src/adapters/text/patterns.ts";
import { visibleDiff } from "../../../src/engine/attempt/visible-diff.ts";
import { sandboxAt } from "../../../src/engine/session/sandbox-at.ts";
import { makeBench, makeRepo } from "../../support/git-repo.ts";
import { read, withStages } from "../../support/read-plans.ts";

const STAGES = `
- id: one
  name: One
  sandbox: { filesystem: { deny_read: [current/prod/secret.txt], deny_write: [current/rules/**] } }
- id: two
  name: Two
`;

it("a rule that names a link of the base is about the file that it leads to", async () => {
  const { plan } = read(withStages(STAGES));
  const [one, two] = plan?.stages ?? [];
  if (!plan || !one || !two) throw new Error("the plan does not load");
  const repo = makeRepo({ "conf/prod/secret.txt": "hunter2\n", "a.txt": "a\n" });
  symlinkSync("conf", join(repo.root, "current"));
  const from = repo.commit();
  repo.write({ "conf/prod/secret.txt": "hunter3\n", "a.txt": "seen\n" });
  const to = repo.commit();
  const { workspace } = await makeBench(repo);
  const patterns = createPatterns();

  const rules = await sandboxAt({ patterns, workspace }, plan, one, from);
  expect(rules.hidden).toEqual(["current/prod/secret.txt", "conf/prod/secret.txt"]);
  expect(rules.readOnly).toEqual([".loom/**", "current/rules/**", "conf/rules/**"]);
  expect((await sandboxAt({ patterns, workspace }, plan, two, from)).hidden).toEqual([]);
  const diff = await visibleDiff({ engine: { patterns }, run: { plan }, plan: one, workspace }, from, to);
  expect(diff).toContain("+seen");
  expect(diff).not.toContain("hunter");
});
