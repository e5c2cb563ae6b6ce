import { devNull } from "node:os";
import { type SimpleGitOptions, simpleGit } from "simple-git";
import { InternalError, UserError } from "../../core/errors.ts";
import type { Git, GitAnswer, GitCall, GitPlace } from "../../ports/git.ts";
import { gitArguments } from "./git-arguments.ts";
import { gitEnvironment } from "./git-environment.ts";
import { GitFailure } from "./git-failure.ts";
import { runOverNetwork } from "./run-over-network.ts";

/**
 * The only door to git. Each call gets an instance of simple-git of its own (40 µs), because environment and standard
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

export function createGit(
  options: { log?: (entry: GitLogEntry) => void; env?: NodeJS.ProcessEnv } = {},
): Git {
  const outer = options.env ?? process.env;

  return {
    async run(place, call) {
      if (place.network !== undefined) {
        const { args, ms, ...answer } = await runOverNetwork(place, place.network, call, outer);
        options.log?.({ args, gitDir: place.gitDir ?? null, code: answer.code, ms });
        return checked(call, answer);
      }
      const args = gitArguments(call);
      // simple-git leaves standard input open when it is given nothing, and git would wait for ever.
      if (call.input === "") throw new InternalError(`git ${call.command} needs some input`);
      const ending: Ending = { code: -1, stderr: "" };
      const started = performance.now();
      const stdout = await simpleGit(settingsFor(place, call.input, ending))
        .env(gitEnvironment(place, call, outer))
        .outputHandler((_command, out) => {
          // Any sign of output ends the wait for more.
          out.on("end", () => out.emit("data", Buffer.alloc(0)));
        })
        .raw(args);
      const ms = performance.now() - started;
      options.log?.({ args, gitDir: place.gitDir ?? null, code: ending.code, ms });
      return checked(call, { code: ending.code, stdout, stderr: ending.stderr });
    },
  };
}

function checked(call: GitCall, answer: GitAnswer): GitAnswer {
  if (answer.code === 0 || call.answers?.includes(answer.code)) return answer;
  throw failure(call.command, answer);
}

function settingsFor(place: GitPlace, input: string | undefined, ending: Ending): Partial<SimpleGitOptions> {
  return {
    baseDir: place.cwd,
    config: [
      ...SETTINGS[place.settings],
      // Not while the person's repository is being looked for: it may be a bare one.
      ...(place.gitDir === undefined || place.settings === "own" ? [] : ["safe.bareRepository=explicit"]),
    ],
    maxConcurrentProcesses: 1,
    completion: { onClose: true, onExit: false },
    allowEnvironment: VARIABLES,
    unsafe: {
      allowUnsafeConfigPaths: true,
      allowUnsafeFsMonitor: true,
      allowUnsafeHooksPath: true,
      allowUnsafeProtocolOverride: true,
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

function failure(command: string, { code, stderr }: Ending): Error {
  if (code < 0 && stderr.includes("ENOENT")) {
    return new UserError("Git is not installed, or not on the PATH.", {
      next: "Install git 2.38 or newer (https://git-scm.com) and try again.",
    });
  }
  return new GitFailure(command, code, stderr);
}
