import { benchDecide } from "./decide.ts";
import { benchGitHubWrites } from "./github-writes.ts";
import { benchesForBusyMachines, readTargets } from "./judge.ts";
import { benchLabelToAgent } from "./label-to-agent.ts";
import { benchLedger } from "./ledger.ts";
import { benchManyRuns } from "./many-runs.ts";
import { benchMakespan, benchOrchestration } from "./orchestration.ts";
import { describeWorse, printTable } from "./print-table.ts";
import { benchDemoProcesses, benchProcesses } from "./processes.ts";
import type { Measurement } from "./result.ts";
import { benchScale } from "./scale.ts";
import { benchSession } from "./session.ts";
import { benchSimulate } from "./simulate.ts";
import { benchStartUp } from "./start-up.ts";
import { benchWebhookAck } from "./webhook-ack.ts";

type Bench = (say: (text: string) => void) => Measurement[] | Promise<Measurement[]>;

/** Names are the first parts of the ids of what they measure. */
const BENCHES: Readonly<Record<string, Bench>> = {
  decide: benchDecide,
  ledger: benchLedger,
  processes: benchProcesses,
  "start-up": benchStartUp,
  makespan: benchMakespan,
  orchestration: benchOrchestration,
  webhook: benchWebhookAck,
  label: benchLabelToAgent,
  writes: benchGitHubWrites,
  runs: benchManyRuns,
  session: benchSession,
  demo: benchDemoProcesses,
  simulate: benchSimulate,
  scale: benchScale,
};

/** Only when they are named. */
const LONG: ReadonlySet<string> = new Set(["scale"]);

/** What a name stands for besides itself: how Loom grows is in all of these. */
const ALSO: Readonly<Record<string, readonly string[]>> = { scale: ["decide", "ledger", "simulate"] };

const FLAGS = ["--json", "--check", "--busy"];

/**
 * `npm run bench [-- <name>…] [--json] [--check] [--busy]`: ratios against floors measured in the same run, and counts, each
 * beside its goal. `--check` ends with 1 when a figure is worse than `targets.json` allows; `--busy` keeps to the figures that other
 * work on the machine does not change.
 */
const args = process.argv.slice(2);
const say = (text: string): void => void process.stderr.write(`${text}\n`);
const asked = args.filter((arg) => !arg.startsWith("--"));
const names = asked.flatMap((name) => [name, ...(Object.hasOwn(ALSO, name) ? (ALSO[name] ?? []) : [])]);
const unknownName = names.find((name) => !Object.hasOwn(BENCHES, name));
const unknownFlag = args.find((arg) => arg.startsWith("--") && !FLAGS.includes(arg));

// So that whatever was started is ended, too.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

if (unknownName !== undefined) {
  say(`There is no benchmark "${unknownName}". There are: ${Object.keys(BENCHES).join(", ")}.`);
  process.exitCode = 2;
} else if (unknownFlag !== undefined) {
  say(`There is no option ${unknownFlag}. There are: ${FLAGS.join(", ")}.`);
  process.exitCode = 2;
} else {
  await measureAll();
}

async function measureAll(): Promise<void> {
  const targets = readTargets();
  const isBusy = args.includes("--busy");
  const wanted = isBusy ? benchesForBusyMachines(targets) : new Set(Object.keys(BENCHES));
  const measured: Measurement[] = [];
  for (const [name, bench] of Object.entries(BENCHES))
    if (wanted.has(name) && (names.length === 0 ? !LONG.has(name) : names.includes(name)))
      measured.push(...(await bench(say)));
  const shown = isBusy ? measured.filter(({ id }) => targets[id]?.onBusyMachine) : measured;
  printTable(shown, targets, args.includes("--json"));
  if (!args.includes("--check")) return;
  const worse = describeWorse(shown, targets);
  for (const line of worse) say(`Worse than allowed: ${line}`);
  if (worse.length > 0) process.exitCode = 1;
}
