import { expect, it } from "vitest";
import { createPatterns } from "../../../src/adapters/text/patterns.ts";
import { visibleDiff } from "../../../src/engine/attempt/visible-diff.ts";
import { makeBench, makeRepo } from "../../support/git-repo.ts";
import { read, withStages } from "../../support/read-plans.ts";

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

it("a diff for an agent leaves out hidden content under whatever name it has now", async () => {
  const { plan } = read(withStages(STAGES));
  const [one] = plan?.stages ?? [];
  if (!plan || !one) throw new Error("the plan does not load");
  const repo = makeRepo({
    "conf.d/secret.txt": "hunter2\n",
    "conf.d/empty": "",
    "conf.d/known.txt": "known\n",
    "a.txt": "known\n",
  });
  const from = repo.sha("HEAD");
  repo.git("mv", "conf.d", "moved");
  repo.write({ "new.txt": "new\n", "new-empty": "" });
  const to = repo.commit();
  const { workspace } = await makeBench(repo);
  const seen = { engine: { patterns: createPatterns() }, run: { plan }, plan: one, workspace };

  const there = await visibleDiff(seen, from, to);
  expect(there).not.toContain("hunter2");
  for (const path of ["b/new.txt", "b/new-empty", "b/moved/known.txt"]) expect(there).toContain(path);
});
