import { notPlayed, type Outcome, outcomeOf, type Played } from "../../core/drill/attack.ts";
import type { DrillTask } from "../../core/drill/task.ts";
import type { WorkTree } from "../../ports/workspace.ts";
import { runToEnd } from "../attempt/run-command.ts";
import type { DrillWorld } from "./drill-world.ts";
import { openCheckSandbox } from "./open-check-sandbox.ts";

const TIME = { timeoutMs: 8_000, tailBytes: 1_500_000, graceMs: 0 };
/** In folders that could be moved. */
export const HIDDEN_FILE = "vault/inner/hidden.txt";
/** Of the system; besides those that a sandbox calls its home and its temporary folder. */
export const TRACE_FOLDERS = ["/tmp", "/var/tmp", "/dev/shm", "/run"];
const END = "that was all";

/**
 * What a second program finds of the first, and of a file that the rules hide. It moves the folders above the file, and a
 * third one looks again: what hides a path may have lost it by then.
 */
export async function playSecondSandbox(
  world: DrillWorld,
  tree: WorkTree,
  told: { readonly trace: string; readonly hidden: string },
): Promise<Played[]> {
  const sandbox = await openCheckSandbox(world, tree, {
    hidden: [...world.rules.checks.hidden, HIDDEN_FILE],
  });
  const { trace, hidden } = told;
  const script = `
    for folder in "$HOME" "$TMPDIR" ${TRACE_FOLDERS.join(" ")}; do cat "$folder/${trace}"; done
    cat ${HIDDEN_FILE}; cp ${HIDDEN_FILE} copy.txt && cat copy.txt
    git show HEAD:${HIDDEN_FILE}; git log -p --all | head -c 20000; git cat-file --batch --batch-all-objects < /dev/null
    mv vault/inner vault/moved; mv vault moved
    echo '${END}'`;
  const again = `cat */*/hidden.txt; mv moved vault; mv vault/moved vault/inner; echo '${END}'`;
  const run = (text: string) =>
    runToEnd(
      sandbox,
      { argv: ["sh", "-c", text], cwd: tree.path, env: {}, stdin: "" },
      { ...TIME, signal: world.signal },
    );
  try {
    const ends = [await run(script), await run(again)];
    const failed = ends.find(({ stdout }) => !stdout.trimEnd().endsWith(END));
    const stdout = ends.map((end) => end.stdout).join("");
    const judge = (text: string, what: string): Outcome =>
      failed ? notPlayed(failed.exit.kind) : outcomeOf(stdout.includes(text) ? [what] : []);
    return [
      { attack: "leftovers", outcome: judge(trace, "a file of another session") },
      { attack: "history", outcome: judge(hidden, HIDDEN_FILE) },
    ];
  } finally {
    await sandbox.close();
  }
}

/**
 * Set-up on a commit of an agent's runs what the agent wrote, so it may reach nothing. Hosts that the rules open are told
 * without asking for them: they are on the internet.
 */
export async function playSetUp(world: DrillWorld, tree: WorkTree): Promise<Played[]> {
  const network = world.changedSetUp;
  const hosts = [...network.allow, ...(network.allowPublic ?? [])];
  if (hosts.length > 0) return [{ attack: "set-up", outcome: outcomeOf(hosts) }];
  const listeners = await world.ground.listen();
  const sandbox = await openCheckSandbox(world, tree, { network });
  const port = listeners.tcp[0]?.port ?? 9;
  const task: DrillTask = {
    ...{ victim: { pid: 0, mark: "nobody at all" }, trace: "" },
    ...{ tcp: listeners.tcp, udp: listeners.udp, sockets: listeners.sockets, through: [`127.0.0.1:${port}`] },
    ...{ read: [], write: [], plants: [], model: [] },
  };
  try {
    const attacker = await world.ground.placeAttacker(tree.path);
    const { stdout } = await runToEnd(
      sandbox,
      { argv: ["node", attacker], cwd: tree.path, env: {}, stdin: JSON.stringify(task) },
      { ...TIME, signal: world.signal },
    );
    const isPlayed = stdout.includes('"works":true');
    const heard = listeners.heard();
    return [{ attack: "set-up", outcome: isPlayed ? outcomeOf(heard) : notPlayed("it said nothing") }];
  } finally {
    await sandbox.close();
    await listeners.close();
  }
}
