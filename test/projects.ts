/** What a project's tests need beyond npm packages and a shell; test/setup/needs/ has a file for each, which provides it once. */
export type Need =
  | "system"
  | "build"
  | "app-key"
  | "ps"
  | "bubblewrap"
  | "redis"
  | "openssl"
  | "strace"
  | "browser"
  | "agent-clis";

export type Project = {
  readonly needs: readonly Need[];
  /** Globs, or names of single files. */
  readonly files: readonly string[];
  /** Whether each file loads all modules anew: what costs a second or two, for files that leave something behind. */
  readonly isolate: boolean;
};

/**
 * The tests by what they need. A file belongs to the first project with a glob for it, so a file that nobody has named
 * belongs to `local`, where nothing is installed; test/structure/projects.test.ts says so when it needs more.
 */
export const PROJECTS = {
  /** Values and pure functions. */
  unit: { needs: [], isolate: false, files: ["test/core/**/*.test.ts", "test/fuzz/fuzz.test.ts"] },

  /** Programs that are not of npm, for as long as it takes to kill and starve what runs. */
  chaos: {
    needs: ["system", "build", "app-key", "ps", "bubblewrap", "redis"],
    isolate: true,
    files: ["test/chaos/**/*.test.ts"],
  },

  /** The CLIs that do the work, in the sandbox. */
  agents: {
    needs: ["system", "build", "app-key", "ps", "bubblewrap", "redis", "strace", "agent-clis"],
    isolate: true,
    files: ["test/harness/**/*.test.ts"],
  },

  browser: {
    needs: ["system", "build", "app-key", "browser"],
    isolate: true,
    files: ["test/browser/**/*.test.ts"],
  },

  redis: {
    needs: ["system", "build", "app-key", "ps", "bubblewrap", "redis", "openssl"],
    isolate: true,
    files: [
      "test/adapters/redis/**/*.test.ts",
      "test/app/deployment.test.ts",
      "test/app/redis-intake.test.ts",
      "test/contract/redis.test.ts",
      "test/demo/claim-redis.test.ts",
      "test/demo/demo-with-redis.test.ts",
      "test/scenario/github/agents.test.ts",
    ],
  },

  sandbox: {
    needs: ["system", "build", "app-key", "ps", "bubblewrap", "openssl", "strace"],
    isolate: true,
    files: [
      "test/adapters/harness/codex/launch.test.ts",
      "test/adapters/harness/scripted.test.ts",
      "test/adapters/sandbox/gateway/model-endpoint.test.ts",
      "test/adapters/sandbox/provider/**/*.test.ts",
      "test/cli/doctor.test.ts",
      "test/cli/drill.test.ts",
      "test/cli/no-sandbox.test.ts",
      "test/cli/odd-folders.test.ts",
      "test/demo/demo.test.ts",
      "test/demo/playground.test.ts",
      "test/engine/drill/*.test.ts",
      "test/engine/attempt/set-up.test.ts",
      "test/scenario/github/audited.test.ts",
      "test/scenario/planted-programs.test.ts",
      "test/scenario/set-up-network.test.ts",
      "test/wiring/hosted-data.test.ts",
    ],
  },

  /** Stories that walk the whole loop once: what a contributor sees break. */
  "github-core": {
    needs: ["system", "build", "app-key"],
    isolate: false,
    files: [
      "test/scenario/github/approval.test.ts",
      "test/scenario/github/commands.test.ts",
      "test/scenario/github/happy-path.test.ts",
      "test/scenario/github/planning.test.ts",
      "test/scenario/github/surfaces.test.ts",
    ],
  },

  /** Stories on a modelled GitHub. */
  github: {
    needs: ["system", "build", "app-key"],
    isolate: false,
    files: ["test/scenario/github/*.test.ts"],
  },

  /** As `local`, but for what looks at modules as they are loaded, or at all children of its process. */
  alone: {
    needs: ["system", "build", "app-key"],
    isolate: true,
    files: ["test/playground/git-runner.test.ts", "test/structure/patterns.test.ts"],
  },

  /** Git, files, processes and the CLI. */
  local: { needs: ["system", "build", "app-key"], isolate: false, files: ["test/**/*.test.ts"] },
} as const satisfies Readonly<Record<string, Project>>;

export type ProjectName = keyof typeof PROJECTS;
