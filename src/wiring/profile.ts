import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { messageOf } from "../core/errors.ts";
import { profileTexts, renderProfile } from "../core/report/commands/profile-report.ts";
import type { FeedItem } from "../ports/feed.ts";
import type { Job, JobQueue } from "../ports/job-queue.ts";
import type { Env } from "./settings/env.ts";
import { createStepTally } from "./tally-steps.ts";

/** LOOM_PROFILE: what Loom's time, memory and processes go into, until `close`. */
export type Profile = {
  readonly see: (item: FeedItem) => void;
  /** The same queue; what its jobs start is known to be theirs. */
  readonly watchJobs: (queue: JobQueue) => JobQueue;
  /** Writes the CPU profile and the table, and says where they are. */
  readonly close: () => Promise<string>;
};

/** What Node says of a program that is being started. */
type Spawned = {
  readonly spawnargs?: readonly string[];
  readonly once: (event: "exit", listener: () => void) => unknown;
};

/** Between two looks at what Loom is doing. */
const INTERVAL_US = 1_000;

/** null when nobody asked for one. `1` puts it into the folder for temporary files; any other value names the folder. */
export async function openProfile(env: Env, cwd: string): Promise<Profile | null> {
  const wish = env.LOOM_PROFILE?.trim();
  if (!wish || wish === "0") return null;
  const began = performance.now();
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: INTERVAL_US });
  await session.post("Profiler.start");
  const tally = createStepTally();
  const jobs = new AsyncLocalStorage<Job>();

  function onSpawn(message: unknown): void {
    const { process: child } = message as { readonly process: Spawned };
    const step = tally.stepOf(jobs.getStore() ?? null);
    const started = performance.now();
    // A process is announced just before it is told what to run.
    process.nextTick(() => {
      const name = programName(child.spawnargs ?? []);
      tally.programStarted(step, name);
      child.once("exit", () => tally.programEnded(name, performance.now() - started));
    });
  }

  subscribe("child_process", onSpawn);
  return {
    see: (item) => tally.see(item, performance.now()),
    watchJobs: (queue) => ({
      ...queue,
      process: (handler, options) =>
        queue.process(
          (job, signal) =>
            jobs.run(job, async () => {
              const started = performance.now();
              try {
                await handler(job, signal);
              } finally {
                tally.jobDone(job, performance.now() - started);
              }
            }),
          options,
        ),
    }),
    async close() {
      unsubscribe("child_process", onSpawn);
      const { profile } = await session.post("Profiler.stop");
      session.disconnect();
      const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
      const report = renderProfile({
        elapsedMs: performance.now() - began,
        cpuMs: (userCPUTime + systemCPUTime) / 1000,
        peakMb: maxRSS / 1024,
        steps: tally.rows(),
        programs: tally.programs(),
      });
      try {
        const parent = wish === "1" ? tmpdir() : resolve(cwd, wish);
        await mkdir(parent, { recursive: true });
        const folder = await mkdtemp(join(parent, "loom-profile-"));
        await writeFile(join(folder, "loom.cpuprofile"), JSON.stringify(profile));
        await writeFile(join(folder, "steps.txt"), report);
        return profileTexts.written(folder);
      } catch (error) {
        // The work is done; what was only to be known about it must not make it fail.
        return profileTexts.notWritten(messageOf(error));
      }
    },
  };
}

/** `git read-tree` for `git --git-dir=… -c … read-tree …`: values may be anybody's, and are left out. */
function programName([program = "", ...args]: readonly string[]): string {
  const name = basename(program);
  if (name !== "git") return name;
  const verb = args.find(
    (arg, index) => /^[a-z][a-z-]+$/.test(arg) && !TAKES_A_VALUE.has(args[index - 1] ?? ""),
  );
  return verb === undefined ? name : `${name} ${verb}`;
}

const TAKES_A_VALUE: ReadonlySet<string> = new Set(["-c", "-C", "--git-dir", "--work-tree"]);
