import { benchDecide } from "./decide.ts";
import { benchGitHubWrites } from "./github-writes.ts";
import { benchLabelToAgent } from "./label-to-agent.ts";
import { benchManyRuns } from "./many-runs.ts";
import { benchMakespan, benchOrchestration } from "./orchestration.ts";
import { printTable } from "./print-table.ts";
import type { Measurement } from "./result.ts";
import { benchSession } from "./session.ts";
import { benchStartUp } from "./start-up.ts";
import { benchWebhookAck } from "./webhook-ack.ts";

type Bench = (say: (text: string) => void) => Measurement[] | Promise<Measurement[]>;

const BENCHES: Readonly<Record<string, Bench>> = {
  decide: benchDecide,
  "start-up": benchStartUp,
  makespan: benchMakespan,
  orchestration: benchOrchestration,
  webhook: benchWebhookAck,
  label: benchLabelToAgent,
  writes: benchGitHubWrites,
  runs: benchManyRuns,
  session: benchSession,
};

/**
 * `npm run bench [-- <name>...] [-- --json]`: ratios against floors measured in the same run, each with its target.
 */
const args = process.argv.slice(2);
const say = (text: string): void => void process.stderr.write(`${text}\n`);
const names = args.filter((arg) => !arg.startsWith("--"));
const unknown = names.find((name) => !Object.hasOwn(BENCHES, name));

// So that whatever was started is ended, too.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

if (unknown === undefined) {
  const measurements: Measurement[] = [];
  for (const [name, bench] of Object.entries(BENCHES))
    if (names.length === 0 || names.includes(name)) measurements.push(...(await bench(say)));
  printTable(measurements, args.includes("--json"));
} else {
  say(`There is no benchmark "${unknown}". There are: ${Object.keys(BENCHES).join(", ")}.`);
  process.exitCode = 2;
}
