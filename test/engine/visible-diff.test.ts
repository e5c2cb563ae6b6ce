import { expect, it } from "vitest";
import { createPatterns } from "../../src/adapters/text/patterns.ts";
import { visibleDiff } from "../../src/engine/visible-diff.ts";
import { makeBench, makeRepo } from "../support/git-repo.ts";
import { read, withStages } from "../support/read-plans.ts";

const STAGES = `
- id: one
  name: One
  sandbox: { filesystem: { deny_read: ["*.pem", "**/conf.d"] } }
- id: two
  name: Two
`;

it("a diff for an agent leaves out what its plan and its stage hide, however the rules name it", async () => {
  const { plan } = read(
    withStages(STAGES, "  sandbox: { filesystem: { deny_read: [secrets/**, ./keys/] } }\n"),
  );
  const repo = makeRepo({ "a.txt": "a\n" });
  const from = repo.sha("HEAD");
  const hidden = ["secrets/one.txt", "keys/deep/two.txt", "app/conf.d/three.txt", "four.pem"];
  repo.write({
    "a.txt": "seen\n",
    ...Object.fromEntries(hidden.map((path) => [path, `hunter2 of ${path}\n`])),
  });
  const to = repo.commit();
  const { workspace } = await makeBench(repo);
  const [one, two] = plan?.stages ?? [];
  if (!plan || !one || !two) throw new Error("the plan does not load");
  const seen = { engine: { patterns: createPatterns() }, run: { plan }, workspace };

  const diff = await visibleDiff({ ...seen, plan: one }, from, to);
  expect(diff).toContain("+seen");
  expect(diff).not.toContain("hunter2");
  const ofOthers = await visibleDiff({ ...seen, plan: two }, from, to);
  expect(ofOthers).toContain("hunter2 of four.pem");
  expect(ofOthers).not.toContain("hunter2 of secrets/one.txt");
  expect(await visibleDiff({ ...seen, plan: one }, from, to, { paths: hidden })).toBe("");
});
