import { devNull } from "node:os";
import { type SimpleGitOptions, simpleGit } from "simple-git";
import { InternalError, UserError } from "../../../core/errors.ts";
import type { Git, GitAnswer, GitCall, GitPlace } from "../../../ports/git.ts";
import { type HostPrograms, hostPrograms } from "../../os/host-programs.ts";
import { createDiffProcess } from "../commit/diff-process.ts";
import { createObjectProcess } from "../objects/object-process.ts";
import { boundOutput } from "./bound-output.ts";
import { type CallTimes, createCallLimits } from "./call-limits.ts";
import { gitArguments } from "./git-arguments.ts";
import { gitEnvironment, overridesEnvironment } from "./git-environment.ts";
import { GitFailure, GitTimeout } from "./git-failure.ts";
import { type HelperChild, startHelper } from "./helper-process.ts";
import { runOverNetwork } from "./run-over-network.ts";

/**
 * The only way to git. Each call gets an instance of simple-git of its own (40 µs), because environment and standard
 * input belong to an instance there and calls run side by side.
 *
 * Two habits of simple-git 4 shape this file: it refuses our own hardening unless each kind is opted into, and it waits
 * 50 ms for late output after a command that printed nothing, which most of our writing commands don't.
 */
export type GitLogEntry = {
  readonly args: readonly string[];
  readonly gitDir: string | null;
  readonly code: number;
  readonly ms: number;
};

// simple-git checks each of these against some forty patterns, 70 µs apiece. So Loom's own git directory has nearly all of
// them in its file of settings, and what no command of ours can meet is left out: nothing here fetches, signs or packs.
const ALWAYS = [`core.hooksPath=${devNull}`, "core.fsmonitor=false"];
const ELSEWHERE = [
  ...ALWAYS,
  "protocol.ext.allow=never",
  "submodule.recurse=false",
  // Another git may hold the lock of a ref for a moment.
  "core.filesRefLockTimeout=2000",
];
const SETTINGS: Record<GitPlace["settings"], readonly string[]> = {
  own: ALWAYS,
  none: [...ELSEWHERE, `core.attributesFile=${devNull}`, `core.excludesFile=${devNull}`],
  user: ELSEWHERE,
};

const VARIABLES = [
  "GIT_ALLOW_PROTOCOL",
  "GIT_ATTR_NOSYSTEM",
  "GIT_AUTHOR_DATE",
  "GIT_AUTHOR_EMAIL",
  "GIT_AUTHOR_NAME",
  "GIT_COMMITTER_DATE",
  "GIT_COMMITTER_EMAIL",
  "GIT_COMMITTER_NAME",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_NOSYSTEM",
  "GIT_CONFIG_SYSTEM",
  "GIT_DIR",
  "GIT_INDEX_FILE",
  "GIT_LITERAL_PATHSPECS",
  "GIT_NO_REPLACE_OBJECTS",
  "GIT_OBJECT_DIRECTORY",
  "GIT_OPTIONAL_LOCKS",
  "GIT_SHALLOW_FILE",
  "GIT_TERMINAL_PROMPT",
  "GIT_WORK_TREE",
];

type Ending = { code: number; stderr: string };

export type GitOptions = {
  readonly log?: (entry: GitLogEntry) => void;
  readonly env?: NodeJS.ProcessEnv;
  /** Where Loom was started; a git that lies in that repository is none. */
  readonly cwd?: string;
  /** Aborted as soon as Loom is to stop. */
  readonly stop?: AbortSignal;
  readonly times?: CallTimes;
};

export function createGit(options: GitOptions = {}): Git {
  const outer = options.env ?? process.env;
  const host = hostPrograms(outer, options.cwd);
  const limits = createCallLimits(options.stop, options.times);

  return {
    async run(place, call) {
      const environment = { ...outer, PATH: host.searchPath };
      if (place.network !== undefined) {
        const { args, ms, ...answer } = await runOverNetwork(
          gitProgram(host),
          place,
          place.network,
          call,
          environment,
        );
        options.log?.({ args, gitDir: place.gitDir ?? null, code: answer.code, ms });
        return checked(call, answer);
      }
      const args = gitArguments(call);
      // simple-git leaves standard input open when it is given nothing, and git would wait for ever.
      if (call.input === "") throw new InternalError(`git ${call.command} needs some input`);
      const ending: Ending = { code: -1, stderr: "" };
      const bound = call.stopAfter === undefined ? null : boundOutput(call.stopAfter);
      const program = gitProgram(host);
      const limit = isAgentTree(place) ? limits.begin() : null;
      const signals = [bound?.signal, limit?.signal].filter((signal) => signal !== undefined);
      const started = performance.now();
      const printed = simpleGit(settingsFor(program, place, call.input, ending, signals))
        .env(gitEnvironment(place, call, environment))
        .outputHandler((_command, out) => {
          bound?.watch(out);
          // Any sign of output ends the wait for more.
          out.on("end", () => out.emit("data", Buffer.alloc(0)));
        })
        .raw(args);
      const stdout = await printed
        .catch((error: unknown) => {
          if (signals.some(({ aborted }) => aborted)) return "";
          throw error;
        })
        .finally(() => limit?.close());
      const ms = performance.now() - started;
      const start = bound?.text() ?? null;
      if (start !== null) {
        options.log?.({ args, gitDir: place.gitDir ?? null, code: 0, ms });
        return { code: 0, stdout: start, stderr: "", cut: true };
      }
      options.log?.({ args, gitDir: place.gitDir ?? null, code: ending.code, ms });
      if (limit?.signal.aborted && ending.code !== 0) throw new GitTimeout(call.command, ms);
      return checked(call, { code: ending.code, stdout, stderr: ending.stderr });
    },
    objects: (place) => createObjectProcess(() => startLasting(place, OBJECTS)),
    diffs(place) {
      const reading = createDiffProcess(() => startLasting(place, READING));
      const scanning = createDiffProcess(() => startLasting(place, SCANNING));
      return {
        show: (kind, from, to, take) => (kind === "reading" ? reading : scanning).show(from, to, take),
        async close() {
          await Promise.all([reading.close(), scanning.close()]);
        },
      };
    },
  };

  function startLasting(place: GitPlace, call: GitCall): HelperChild {
    const args = gitArguments(call);
    options.log?.({ args, gitDir: place.gitDir ?? null, code: 0, ms: 0 });
    return startHelper(gitProgram(host), [...settingArguments(place), ...args], {
      cwd: place.cwd,
      env: gitEnvironment(place, call, { ...outer, PATH: host.searchPath }),
    });
  }
}

const OBJECTS: GitCall = { command: "cat-file", options: ["--batch-command"] };
const PLAIN_DIFF = ["--stdin", "-r", "-p", "--no-color", "--no-ext-diff", "--no-textconv"];
const READING: GitCall = { command: "diff-tree", options: [...PLAIN_DIFF, "-M"] };
const SCANNING: GitCall = {
  command: "diff-tree",
  options: [...PLAIN_DIFF, "-U0", "--text", "--full-index", "--no-renames"],
};

function settingArguments(place: GitPlace): string[] {
  return settingsOf(place).flatMap((setting) => ["-c", setting]);
}

function settingsOf(place: GitPlace): string[] {
  return [
    ...SETTINGS[place.settings],
    // Not while the person's repository is being looked for: it may be a bare one.
    ...(place.gitDir === undefined || place.settings === "own" ? [] : ["safe.bareRepository=explicit"]),
  ];
}

/** People's own checkouts are called with their settings; with Loom's own, a tree is one that agents work in. */
function isAgentTree({ settings, workTree }: GitPlace): boolean {
  return settings === "own" && workTree !== undefined;
}

function checked(call: GitCall, answer: GitAnswer): GitAnswer {
  if (answer.code === 0 || call.answers?.includes(answer.code)) return answer;
  throw new GitFailure(call.command, answer.code, answer.stderr);
}

function settingsFor(
  program: string,
  place: GitPlace,
  input: string | undefined,
  ending: Ending,
  signals: readonly AbortSignal[],
): Partial<SimpleGitOptions> {
  return {
    ...(signals.length > 0 ? { abort: AbortSignal.any([...signals]) } : {}),
    baseDir: place.cwd,
    binary: program,
    config: settingsOf(place),
    maxConcurrentProcesses: 1,
    completion: { onClose: true, onExit: false },
    allowEnvironment: [...VARIABLES, ...Object.keys(overridesEnvironment(place))],
    unsafe: {
      // Found by Loom itself, and it may lie in a folder with any name.
      allowUnsafeCustomBinary: true,
      allowUnsafeConfigPaths: true,
      allowUnsafeFsMonitor: true,
      allowUnsafeHooksPath: true,
      allowUnsafeProtocolOverride: true,
      // Loom's own overrides, which take programs away.
      allowUnsafeAskPass: true,
      allowUnsafeConfigEnvCount: true,
      allowUnsafeCredentialHelper: true,
      allowUnsafeFilter: true,
      allowUnsafeSshCommand: true,
    },
    ...(input === undefined ? {} : { input: () => input }),
    // Whether a code is a failure is the caller's to say, so none is reported as an error here.
    errors(_error, result) {
      ending.code = result.exitCode;
      ending.stderr = Buffer.concat(result.stdErr).toString("utf8");
      return undefined;
    },
  };
}

const INSTALL = "Install git 2.38 or newer (https://git-scm.com) and try again.";

function gitProgram(host: HostPrograms): string {
  const search = host.find("git");
  if (search.kind === "found") return search.path;
  if (search.kind !== "in-repository")
    throw new UserError("Git is not installed, or not on the PATH.", { next: INSTALL });
  throw new UserError(`The only git on the PATH is ${search.path}, which agents could change.`, {
    next: INSTALL,
  });
}
