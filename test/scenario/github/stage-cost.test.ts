import { ChildProcess } from "node:child_process";
import { basename } from "node:path";
import { expect, it } from "vitest";
import { aGitHubWorld, planDocument } from "../../support/github-world.ts";

type Counts = ReadonlyMap<string, number>;

const started = noteStarts();

/** Each program that Loom starts; the look-alike's git runs in a process of its own and is not among them. */
function noteStarts(): string[] {
  const programs: string[] = [];
  const prototype = ChildProcess.prototype as unknown as {
    spawn(options: { file: string; args: string[] }): unknown;
  };
  const { spawn } = prototype;
  prototype.spawn = function (options) {
    const args = options.args.slice(1);
    const command = args.find((arg, at) => !arg.startsWith("-") && args[at - 1] !== "-c") ?? "";
    const program = basename(options.file);
    programs.push(program === "git" ? `git ${command}` : program);
    return spawn.call(this, options);
  };
  return programs;
}

/** What Loom started and asked for, from the approval of runs of so many independent stages until their records are merged. */
async function costOf(runs: number, stages: number): Promise<Counts> {
  const plans = Array.from({ length: runs }, (_run, n) =>
    Array.from({ length: stages }, (_stage, at) => `r${n}s${at + 1}`),
  );
  const file = (id: string): string => `${id}.txt`;
  const world = await aGitHubWorld({
    config: { version: 1, merge: { mode: "auto" } },
    script: Object.fromEntries(
      plans.flat().map((id) => [id, [{ write: { path: file(id), text: "one\n" } }]]),
    ),
    // What is shown is gathered by the clock, so that a slow machine writes more of it; `npm run bench` counts that.
    showAfterMs: 600_000,
  });
  try {
    for (const ids of plans) {
      const issue = world.issue({
        title: ids.join(),
        body: planDocument(
          ids.map((id) => ({ id, name: id, files: [file(id)], acceptance: [`test -f ${file(id)}`] })),
        ),
      });
      world.comment(issue, "/loom run");
      await world.reply(issue);
    }
    const { requests } = world.world.github;
    const from = { programs: started.length, requests: requests.length };
    for (const { number } of world.pulls()) world.label(number, "loom: approve");
    const areRecorded = async (): Promise<boolean> =>
      (await world.runs()).filter(({ recorded }) => recorded !== null).length === runs;
    await world.until(areRecorded, "the end of the runs");
    expect(world.pulls().filter(({ pull }) => pull?.merged)).toHaveLength(runs * (stages + 1));
    const asked = requests.slice(from.requests).flatMap(({ route }) => route ?? []);
    const counts = new Map<string, number>();
    for (const name of [...started.slice(from.programs), ...asked])
      counts.set(name, (counts.get(name) ?? 0) + 1);
    return counts;
  } finally {
    await world.end();
  }
}

/** They stay for many questions, and are started again after a second without any. */
const LASTING = ["git cat-file", "git diff-tree"];
const FEW = 2;
const MANY = 6;

const isRequest = (name: string): boolean => /^[A-Z]+ \//.test(name);
const isGit = (name: string): boolean => name.startsWith("git ");

let few: Promise<Counts> | null = null;

function costOfFew(): Promise<Counts> {
  few ??= costOf(1, FEW);
  return few;
}

function sumOf(counts: Counts, is: (name: string) => boolean): number {
  return [...counts].filter(([name]) => is(name)).reduce((all, [, count]) => all + count, 0);
}

/**
 * A stage costs the same however many there are beside it: one that asked about all the others each time would be seen here, as the
 * difference between a few and many is counted.
 */
it("takes so many programs and requests for a stage that goes well, and no more", async () => {
  const [few, many] = [await costOfFew(), await costOf(1, MANY)];
  const perStage = new Map(
    [...many].map(([name, count]) => [name, (count - (few.get(name) ?? 0)) / (MANY - FEW)]),
  );
  const sum = (is: (name: string) => boolean): number => sumOf(perStage, is);
  const shown = JSON.stringify([...perStage].filter(([, count]) => count !== 0));

  expect(
    sum((name) => isGit(name) && !LASTING.includes(name)),
    shown,
  ).toBeLessThanOrEqual(10);
  expect(
    sum((name) => LASTING.includes(name)),
    shown,
  ).toBeLessThanOrEqual(3);
  // The agent, its check and the proof with the others.
  expect(
    sum((name) => !isGit(name) && !isRequest(name)),
    shown,
  ).toBeLessThanOrEqual(4);
  for (const [command, most] of Object.entries({ push: 1.5, fetch: 1.5, "ls-remote": 1.5, "read-tree": 3 }))
    expect(perStage.get(`git ${command}`), `${command}: ${shown}`).toBeLessThanOrEqual(most);
  for (const command of ["log", "merge-base", "hash-object", "write-tree", "commit-tree", "update-ref"])
    expect(perStage.get(`git ${command}`) ?? 0, shown).toBeLessThan(0.5);

  expect(sum(isRequest), shown).toBeLessThanOrEqual(28);
  expect(perStage.get("GET /repos/{owner}/{repo}/pulls/{pull_number}"), shown).toBeLessThanOrEqual(6.5);
});

it("takes as much for a run, however many are under way", async () => {
  const RUNS = 3;
  const [one, many] = [await costOfFew(), await costOf(RUNS, FEW)];
  const shown = JSON.stringify([[...one], [...many]]);
  for (const is of [isRequest, isGit])
    expect(sumOf(many, is) / RUNS, shown).toBeLessThanOrEqual(1.25 * sumOf(one, is));
});
