import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Repository } from "../playground/model/types.ts";
import { grid, planOf as planText } from "./graphs.ts";
import type { Measurement } from "./result.ts";
import { countReads, countWrites, describeWrites } from "./support/count-writes.ts";
import { openLoomWorld, planOf } from "./support/loom-world.ts";

const SHAPE = grid(2, 5);
const STAGES = SHAPE.levels.flat();

/** How much one stage that goes well asks of GitHub, from the label to the end of the run, by the look-alike's counter. */
export async function benchGitHubWrites(say: (text: string) => void): Promise<Measurement[]> {
  const world = await openLoomWorld({
    redisUrl: null,
    workers: 0,
    repositories: 1,
    files: { "README.md": "# Project\n" },
    env: (folder) => {
      const stages = STAGES.map((id) => [id, [{ write: { path: `out/${id}`, text: `${id}\n` } }]]);
      writeFileSync(join(folder, "script.json"), JSON.stringify({ stages: Object.fromEntries(stages) }));
      return { LOOM_SCRIPT: join(folder, "script.json") };
    },
  });
  try {
    const { requests } = world.github.world.github;
    const repository = world.repositories[0] as Repository;
    const issue = world.ask(repository, "Ten files", planText(SHAPE, 2));
    const plan = await world.until(() => planOf(repository, issue), "the plan");
    await world.quiet();
    const from = requests.length;
    world.approve(repository, plan);
    const merged = (): number => [...repository.issues.values()].filter(({ pull }) => pull?.merged).length;
    await world.until(() => merged() >= STAGES.length, "the end of the run", { withinMs: 10 * 60_000 });
    // What the run has come to is shown a little later, and its documents are archived.
    await world.quiet(5_000);
    const run = requests.slice(from);
    const writes = countWrites(run);
    say(`${STAGES.length} stages: ${writes.all} writes, of which ${writes.content} make content`);
    say(describeWrites(writes, STAGES.length));
    const perStage = (count: number): number => count / STAGES.length;
    return [
      {
        id: "writes.content",
        name: "content-creating requests to GitHub per stage",
        value: perStage(writes.content),
        unit: "",
        detail: { byRoute: Object.fromEntries(writes.byRoute) },
      },
      {
        id: "writes.all",
        name: "all writing requests to GitHub per stage, such as checks and labels",
        value: perStage(writes.all),
        unit: "",
        detail: {},
      },
      {
        id: "writes.reads",
        name: "reading requests to GitHub per stage that it counts",
        value: perStage(countReads(run)),
        unit: "",
        detail: { all: perStage(run.filter(({ method, route }) => method === "GET" && route).length) },
      },
    ];
  } finally {
    await world.close();
  }
}
