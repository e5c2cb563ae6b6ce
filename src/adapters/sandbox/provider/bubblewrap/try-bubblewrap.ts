import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HostPrograms, hostPrograms } from "../../../os/host-programs.ts";
import { perlStarter } from "../relay/perl-starter.ts";
import { shellStarter } from "../relay/shell-starter.ts";
import { possibleShelters, type Shelter, type Starter } from "../relay/starter.ts";
import { type BubblewrapFeatures, bubblewrapArguments } from "./bubblewrap-arguments.ts";
import { findProcParts, procMounts } from "./proc-mounts.ts";
import type { Environment } from "./shown-programs.ts";
import { systemCallFilter } from "./system-call-filter.ts";
import { systemMounts } from "./system-mounts.ts";

export type Bubblewrap = {
  readonly program: string;
  /** Such as `0.8.0`. */
  readonly version: string;
  readonly features: BubblewrapFeatures;
  readonly user: { readonly uid: number; readonly gid: number } | null;
  /** For the kernel; null where it can't be used. */
  readonly filter: Buffer | null;
  readonly starter: Starter;
  readonly shelter: Shelter;
  /** Whether programs can't get at the relay; the machine may not let that be. */
  readonly isApart: boolean;
};

export type BubblewrapTrial =
  | { readonly kind: "works"; readonly bubblewrap: Bubblewrap }
  | { readonly kind: "fails"; readonly reason: string; readonly next: string };

const trials = new Map<string, Promise<BubblewrapTrial>>();

/** Builds a real sandbox around `true`, once per process: whether it works depends on kernel, policies and containers. */
export function tryBubblewrap(env: Environment, cwd: string): Promise<BubblewrapTrial> {
  const host = hostPrograms(env, cwd);
  const program = host.tool("bwrap");
  if (program === null || process.platform !== "linux") return Promise.resolve(missing());
  let trial = trials.get(program);
  if (!trial) {
    trial = run(program, host);
    trials.set(program, trial);
  }
  return trial;
}

/** Its version, and what of it this machine does not let it build. */
export function describeBubblewrap({ version, filter, shelter, user, isApart }: Bubblewrap): string {
  const lacks = [
    ...(!isApart ? ["a program could forge how it ended"] : []),
    ...(filter === null ? ["no filter of system calls"] : []),
    ...(user !== null && shelter === "none" ? ["device files can be changed, since Loom runs as root"] : []),
  ];
  return [`bubblewrap ${version}`, ...lacks].join(", ");
}

async function run(program: string, host: HostPrograms): Promise<BubblewrapTrial> {
  const [{ output: help }, { output: told }] = await Promise.all([
    execute(program, ["--help"]),
    execute(program, ["--version"]),
  ]);
  const features: BubblewrapFeatures = {
    size: help.includes("--size "),
    perms: help.includes("--perms "),
    disableUserns: help.includes("--disable-userns"),
  };
  const version = /\d[\w.]*/.exec(told)?.[0] ?? "of unknown version";
  // Root inside would be treated as root by programs that then drop or demand rights they don't have.
  const user = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : null;
  const filter = systemCallFilter(process.arch);
  const ids = user ?? { uid: process.getuid?.() ?? 1000, gid: process.getgid?.() ?? 1000 };
  const perl = perlStarter(ids);
  const starters = [...(perl ? [perl] : []), shellStarter(host, ids)];
  let said = "";
  // Some kernels and containers forbid just one of these; whatever works of the rest is kept.
  for (const choice of choices(features, starters, filter)) {
    const bubblewrap = { program, version, user, ...choice };
    const wrong = await attempt(bubblewrap);
    if (wrong === null) return { kind: "works", bubblewrap };
    said = wrong;
  }
  return explainBubblewrapFailure(said, isInContainer());
}

type Choice = Pick<Bubblewrap, "features" | "isApart" | "filter" | "starter" | "shelter">;

/**
 * The best one first; which starter it takes counts least. A program that is set apart gives up further namespaces by
 * itself: bubblewrap must leave room for that one.
 */
function choices(
  features: BubblewrapFeatures,
  starters: readonly Starter[],
  filter: Buffer | null,
): Choice[] {
  const open = { ...features, disableUserns: false };
  const namespaces = [
    { features: open, isApart: true },
    ...(features.disableUserns ? [{ features, isApart: false }] : []),
    { features: open, isApart: false },
  ];
  const filters = filter === null ? [null] : [filter, null];
  return namespaces.flatMap((one) =>
    possibleShelters().flatMap((shelter) =>
      filters.flatMap((calls) =>
        starters
          .filter(({ shelters, setsApart }) => shelters.includes(shelter) && (setsApart || !one.isApart))
          .map((starter) => ({ ...one, shelter, filter: calls, starter })),
      ),
    ),
  );
}

/** null when it works, else what bubblewrap says. */
async function attempt(bubblewrap: Bubblewrap): Promise<string | null> {
  const { program, features, user, filter, starter, shelter, isApart } = bubblewrap;
  const folder = await mkdtemp(join(tmpdir(), "loom-trial-"));
  try {
    const empty = join(folder, "empty");
    await writeFile(empty, "");
    const { inside, mounts } = starter.trial(folder, isApart);
    const words = bubblewrapArguments({
      features,
      user,
      system: systemMounts([]),
      proc: procMounts(findProcParts(), empty),
      mounts,
      scratchBytes: 1024 * 1024,
      cwd: "/",
    });
    const files = { words: join(folder, "words"), filter: filter === null ? null : join(folder, "filter") };
    await writeFile(files.words, words.map((word) => `${word}\0`).join(""));
    if (filter !== null && files.filter !== null) await writeFile(files.filter, filter);
    const [first, ...rest] = starter.enter({ program, shelter, limits: null, group: null, ...files }, inside);
    const { failed, output } = await execute(first, rest);
    return failed ? output.trim() || "It ended without a word." : null;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function execute(program: string, args: readonly string[]): Promise<{ failed: boolean; output: string }> {
  return new Promise((resolve) => {
    const options = { timeout: 10_000, cwd: "/", env: { PATH: "/usr/bin:/bin" } };
    execFile(program, args, options, (error, stdout, stderr) =>
      resolve({ failed: error !== null, output: `${stdout}${stderr}` || (error?.message ?? "") }),
    );
  });
}

function missing(): BubblewrapTrial {
  if (process.platform !== "linux") {
    return {
      kind: "fails",
      reason: "bubblewrap works on Linux only.",
      next: "Set LOOM_SANDBOX=container and LOOM_SANDBOX_IMAGE, or run Loom on Linux.",
    };
  }
  return {
    kind: "fails",
    reason: "bubblewrap (bwrap) was not found on PATH.",
    next: "Install bubblewrap, for example: sudo apt-get install bubblewrap",
  };
}

/** The kernel gives few words, so what is known about each of them is said here. */
export function explainBubblewrapFailure(
  said: string,
  inContainer: boolean,
): BubblewrapTrial & { kind: "fails" } {
  const line = (said.split("\n").find((one) => one.startsWith("bwrap: ")) ?? said.split("\n")[0] ?? "").slice(
    0,
    300,
  );
  const reason = `bubblewrap can't build a sandbox here: ${line.replace(/^bwrap: /, "")}`;
  if (inContainer) {
    return {
      kind: "fails",
      reason,
      next:
        "Start Loom's container with --security-opt seccomp=unconfined --security-opt apparmor=unconfined " +
        "--security-opt systempaths=unconfined; on Ubuntu 23.10 and later the machine also needs " +
        "sysctl kernel.apparmor_restrict_unprivileged_userns=0",
    };
  }
  if (/uid map|RTM_NEWADDR|make \/ slave|Permission denied/i.test(line)) {
    return {
      kind: "fails",
      reason,
      next:
        "AppArmor keeps bubblewrap from using user namespaces (Ubuntu 23.10 and later). Load a profile for bwrap that has " +
        "`userns,`, or: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0",
    };
  }
  if (/namespace/i.test(line)) {
    return {
      kind: "fails",
      reason,
      next:
        "User namespaces are switched off. Switch them on: sudo sysctl kernel.unprivileged_userns_clone=1 (Debian), " +
        "sudo sysctl user.max_user_namespaces=15000 (others)",
    };
  }
  return {
    kind: "fails",
    reason,
    next: "Try: bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev true",
  };
}

function isInContainer(): boolean {
  return (
    existsSync("/.dockerenv") || existsSync("/run/.containerenv") || "KUBERNETES_SERVICE_HOST" in process.env
  );
}
