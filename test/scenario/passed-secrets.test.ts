import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeScene } from "../support/chaos.ts";
import { ending } from "../support/loom-cli.ts";

const PASSED = {
  DB_PASS: "t7Kq-2vXw9Lm-Zp4R",
  GITHUB_PAT: "pat.11AbC9dEf8Gh7Ij6Kl5",
  MYSQL_PWD: "Nq8#rT2!wYx5vB",
  AWS_ACCESS_KEY_ID: "9XK3PLQ7WM2ZT8RV",
  TARGET: "a9f3-77cd-2b1e-x5",
};

/** Tells all it was given, in every way that has a tool; its first attempt also commits it. */
const TELLER = `
node -e '
const names = ${JSON.stringify(Object.keys(PASSED))};
for (const name of names) {
  const value = process.env[name], bytes = Buffer.from(value);
  const told = [value, bytes.toString("hex"), bytes.toString("base64"), [...value].reverse().join(""), [...value].join(" ")];
  for (const text of told) {
    console.log(name + " " + text);
    console.error(text);
    console.log(JSON.stringify({ type: "activity", text }));
    console.log(JSON.stringify({ type: "answer", text }));
  }
}'
if [ "$LOOM_ATTEMPT" = 1 ]; then
  printf '%s' "$DB_PASS" > config.txt; printf x > "$TARGET.txt"; printf '%s' "$GITHUB_PAT" | base64 > part.txt
else
  cp "$LOOM_PROMPT" "$CHAOS/told"; rm -f config.txt "$TARGET.txt"; echo clean > part.txt; echo "$MYSQL_PWD" >&2
fi
`;

it("what is passed to an agent on purpose stands in no log, ledger, report, screen or commit, and the agent learns why", async () => {
  const acceptance = ['printf "%s" "$DB_PASS" >&2; grep -q clean part.txt'];
  const scene = makeScene([{ id: "one", acceptance }]);
  const env = { ...PASSED, LOOM_PASS_ENV: Object.keys(PASSED).join(",") };
  const finished = await scene.run(["run", "PLAN.md", "--json"], TELLER, env);
  expect(ending(finished)).toMatchObject({ status: "completed", stages: { one: { attempts: 2 } } });

  const told = scene.read("told");
  expect(told).toContain("`config.txt` holds a secret that Loom was given, plain or encoded.");
  expect(told).toContain("`part.txt` holds a secret that Loom was given, plain or encoded.");
  expect(told).toContain("The name of `[secret].txt` holds a secret. Rename it.");

  const loom = join(scene.repo.root, ".git", "loom");
  const kept = readdirSync(loom, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("/objects"))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
  const commits = scene.repo.git("log", "-p", "--all", "--format=%B%an%D");
  const all = [finished.stdout, finished.stderr, commits, told, ...kept].join("\n");
  for (const value of Object.values(PASSED)) {
    const bytes = Buffer.from(value);
    for (const form of [
      value,
      bytes.toString("hex"),
      bytes.toString("base64").slice(0, -4),
      [...value].reverse().join(""),
      [...value].join(" "),
    ])
      expect(all).not.toContain(form);
  }
  expect(kept.join("\n")).toContain("DB_PASS [secret]");
});
