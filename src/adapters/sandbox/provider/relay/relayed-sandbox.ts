import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { InternalError, UserError } from "../../../../core/errors.ts";
import type {
  ConfinedProcess,
  ProcessExit,
  ProcessSpec,
  ProcessSupervisor,
} from "../../../../ports/process-supervisor.ts";
import type { Sandbox, SandboxProcess, SandboxSpec } from "../../../../ports/sandbox.ts";
import { openGateway } from "../../gateway/open-gateway.ts";
import { createShellShim } from "../../gateway/shell-shim.ts";
import { placeGuard } from "../bubblewrap/sandbox-mounts.ts";
import { RELAY_URL } from "../clean-environment.ts";
import type { GroupMemory } from "../limits/group-memory.ts";
import type { LimitWatcher } from "../limits/limit-watcher.ts";
import { describeLimit } from "../limits/limits.ts";
import { commandLineOf, descendants, readProcessTable } from "../limits/process-table.ts";
import { notStarted, superviseSandbox } from "../limits/supervise-sandbox.ts";
import type { SandboxFolder } from "../sandbox-folder.ts";
import { listenForRefusal } from "./listen-for-refusal.ts";
import type { RelayCommand } from "./relay-command.ts";

export type RelayedSandboxOptions = {
  readonly supervisor: ProcessSupervisor;
  readonly watcher: LimitWatcher;
  readonly sandboxSpec: SandboxSpec;
  readonly files: SandboxFolder;
  readonly env: Readonly<Record<string, string>>;
  /** Where Node is, inside. */
  readonly node: string;
  /** Where the kernel holds its programs to their memory. */
  readonly memory?: GroupMemory | null;
  readonly relay: RelayCommand;
  /** Isolates a program, whose environment is whole. A `UserError` when it can't be done now. */
  enclose(program: readonly [string, ...string[]], spec: SandboxProcess, token: string): Enclosure;
};

export type Enclosure = {
  readonly argv: ProcessSpec["argv"];
  /** Of the program that builds the isolation. */
  readonly env: ProcessSpec["env"];
  /** Takes away what was made for this one program; called when the isolation is gone. */
  after(how: ProcessExit): Promise<void>;
};

/**
 * A sandbox with a network of its own. Every program in it is started by the relay, also where it needs no network: only
 * the relay knows whether the program died of a signal or chose an exit code that looks like it.
 */
export async function openRelayedSandbox(options: RelayedSandboxOptions): Promise<Sandbox> {
  const { supervisor, sandboxSpec, files, relay, memory = null } = options;
  const guard: Sandbox["guard"] = sandboxSpec.judge ? [options.node, placeGuard(files)] : null;
  const shells = guard && (await createShellShim(join(files.control, "shells"), guard));
  const gateway = await openGateway({ listen: { kind: "socket", path: files.socket }, sandboxSpec });
  const supervision = superviseSandbox({
    watcher: options.watcher,
    limits: sandboxSpec.limits,
    folders: [sandboxSpec.tree, files.home, files.tmp],
    memory,
    onRefused: sandboxSpec.onRefused,
    async onClose() {
      await gateway.close();
      await files.remove();
    },
  });

  const encloseOrSay = (...given: Parameters<typeof options.enclose>): Enclosure | string => {
    try {
      return options.enclose(...given);
    } catch (error) {
      if (error instanceof UserError) return error.message;
      throw error;
    }
  };

  const start = (spec: SandboxProcess): ConfinedProcess => {
    const problem = supervision.exceeded() ?? folderProblem(spec.cwd);
    if (problem !== null) return notStarted(problem);
    const token = randomUUID();
    const program = { argv: spec.argv, env: { ...options.env, ...spec.env } };
    const relayed = relay.command({ socket: files.socket, token, program });
    const enclosure = encloseOrSay(relayed.argv, { ...spec, env: relayed.env }, token);
    if (typeof enclosure === "string") return notStarted(enclosure);
    const { argv, env, after } = enclosure;
    gateway.expect(token);
    const inner = supervisor.spawn({
      argv,
      // A folder that programs can't change; the isolation has a folder of their own to begin in.
      cwd: "/",
      env,
      stdin: spec.stdin,
      marker: sandboxSpec.marker,
    });
    const refusal = listenForRefusal(inner.output);
    const exit = inner.exit.then(async (how) => {
      await after(how);
      // Programs around it that were killed leave the program to Loom's own sweep; what the relay tells then is how it went in that.
      const word = how.kind === "signalled" ? null : gateway.exitOf(token);
      const real = word === null ? await withoutWord(how, refusal) : agreed(word, how);
      if (real !== word && word !== null) supervision.note(forged(word, real), "forged-end");
      if (isFileTooLarge(real)) supervision.note(describeLimit("file", sandboxSpec.limits), "file");
      return real;
    });
    return {
      pid: inner.pid,
      output: refusal.output,
      exit,
      stop: (graceMs) => stopKindly(inner, { token, relay }, graceMs),
    };
  };

  return {
    home: files.home,
    tmp: files.tmp,
    modelUrl: sandboxSpec.model ? `${RELAY_URL}/.loom/model` : null,
    guard,
    shells,
    env: options.env,
    spawn(spec) {
      if (supervision.isClosed()) throw new InternalError("the sandbox is closed");
      return supervision.admit(start(spec));
    },
    denied: () => gateway.denied(),
    exceeded: () => supervision.exceeded(),
    close: () => supervision.close(),
  };
}

/**
 * The relay says how the program ended and then ends like it, which the process above it sees as well. Where the two differ,
 * one of them was made to lie, and the worse one counts.
 */
function agreed(word: ProcessExit, how: ProcessExit): ProcessExit {
  const seen = how.kind === "exited" ? how.code : null;
  const isSame =
    (word.kind === "exited" && word.code === seen) ||
    (word.kind === "signalled" && seen === 128 + (signalNumber(word.signal) ?? -1)) ||
    (word.kind === "not-started" && (seen === 126 || seen === 127));
  if (isSame) return word;
  return seen === 0 ? word : how;
}

function forged(word: ProcessExit, real: ProcessExit): string {
  const told = (exit: ProcessExit): string =>
    exit.kind === "exited" ? `exit ${exit.code}` : exit.kind === "signalled" ? exit.signal : "no start";
  return `The program's end was told in two ways (${told(word)}, ${told(real)}), so somebody forged one of them.`;
}

function signalNumber(name: string): number | undefined {
  return Object.entries(constants.signals).find(([known]) => known === name)?.[1];
}

/** The relay said nothing: it was killed, or it never came to life because the isolation could not be built. */
async function withoutWord(how: ProcessExit, refusal: { text(): Promise<string> }): Promise<ProcessExit> {
  if (how.kind !== "exited" || how.code === 0) return how;
  const signal = Object.entries(constants.signals).find(([, number]) => number === how.code - 128)?.[0];
  if (signal !== undefined) return { kind: "signalled", signal };
  const said = await refusal.text();
  return {
    kind: "not-started",
    reason: said === "" ? `the sandbox could not be set up (exit code ${how.code})` : said,
  };
}

/**
 * Only the program itself is asked, once, as a terminal or a service manager would; when it ends, the rest of the sandbox
 * ends with it. The sandbox would ask everyone, and the program twice, since the relay hands on what it gets.
 */
async function stopKindly(inner: ConfinedProcess, started: Started, graceMs: number): Promise<void> {
  const pid = graceMs > 0 && inner.pid !== null ? findRelay(inner.pid, started) : null;
  if (pid === null) return inner.stop(graceMs);
  try {
    process.kill(pid, "SIGTERM");
  } catch {
    // It ended just now.
  }
  const patience = new AbortController();
  await Promise.race([
    inner.exit.finally(() => patience.abort()),
    delay(graceMs, undefined, { signal: patience.signal }).catch(() => {}),
  ]);
  patience.abort();
  await inner.stop(0);
}

type Started = { readonly token: string; readonly relay: RelayCommand };

/** It takes the token out of its command line once it lives; nearest to the isolation, it comes before all impostors. */
function findRelay(isolation: number, { token, relay }: Started): number | null {
  const family = descendants(readProcessTable(), [isolation]);
  const found = family.find(({ pid }) => {
    const line = commandLineOf(pid);
    const isStarting = pid !== isolation && line.startsWith(`${relay.starter}\0`) && line.includes(token);
    return isStarting || line.startsWith("loom-relay");
  });
  return found?.pid ?? null;
}

function folderProblem(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return `the folder ${path} was not found`;
  return found.isDirectory() ? null : `${path} is not a folder`;
}

function isFileTooLarge(exit: ProcessExit): boolean {
  if (exit.kind === "signalled") return exit.signal === "SIGXFSZ";
  // A shell whose child died of the signal.
  return exit.kind === "exited" && exit.code === 128 + constants.signals.SIGXFSZ;
}
