/** The tunables of a run. Every default stands here and nowhere else. */
export const DEFAULTS = {
  /** LOOM_MODEL: of claude; the other harnesses choose by themselves. */
  model: "opus",
  /** LOOM_COMMIT_MODEL: of claude, for commit messages and names. */
  commitModel: "haiku",
  /** LOOM_EFFORT: how hard an agent thinks. */
  effort: "medium",
  /** LOOM_PLAN_EFFORT: the same for those that plan. */
  planEffort: "high",
  /** LOOM_TIMEOUT: the ceiling of one session. */
  timeoutSecs: 14_400,
  /** LOOM_PLAN_TIMEOUT: the ceiling of a session that plans. */
  planTimeoutSecs: 3_600,
  /** LOOM_NO_PROGRESS_SECS: the stall window; 0 turns it off. */
  noProgressSecs: 1_800,
  /** LOOM_RETRY_DELAYS: pauses before another go when the provider was away. */
  transientDelaysSecs: [0, 600, 3_600],
  /** LOOM_RETRY_BACKOFF: first and longest pause after a crash or a timeout. */
  backoffSecs: { base: 30, max: 300 },
  /** LOOM_MAX_RETRIES: further attempts of a stage after the first. */
  retries: 2,
  /** LOOM_MAX_CONCURRENT: agents at a time; 0 lifts the limit. */
  maxParallel: 4,
  /** LOOM_MAX_TURNS: of one session. */
  maxTurns: null,
  /** LOOM_CONTRACT: whether an agent has to say in a fixed form that it is done. */
  contract: "off",
  /** LOOM_CONFIG: another folder for the operator's own prompts. */
  configFolder: null,
  /** LOOM_WINDOW_TITLE: progress in the title of the terminal. */
  windowTitle: "auto",
  /** LOOM_SANDBOX, and LOOM_SANDBOX_CMD for a wrapper of one's own. */
  sandbox: "auto",
  sandboxCommand: null,
  /** LOOM_LIMIT_PROCESSES, LOOM_LIMIT_MEMORY_MB, LOOM_LIMIT_FILE_MB, LOOM_LIMIT_DISK_MB: of one room of the sandbox. */
  limits: { processes: 512, memoryMb: 8_192, fileMb: 2_048, diskMb: 10_240 },
} as const;

/** LOOM_SETUP_DOMAINS: where set-up commands find packages when the operator says nothing else. */
export const PACKAGE_REGISTRIES: readonly string[] = [
  "registry.npmjs.org",
  "registry.yarnpkg.com",
  "pypi.org",
  "files.pythonhosted.org",
  "crates.io",
  "index.crates.io",
  "static.crates.io",
  "proxy.golang.org",
  "sum.golang.org",
  "rubygems.org",
  "index.rubygems.org",
  "repo.maven.apache.org",
  "repo1.maven.org",
  "api.nuget.org",
  "packagist.org",
  "repo.packagist.org",
];

export const DEFAULT_NETWORK = { agent: [], setup: PACKAGE_REGISTRIES, checks: [] } as const;
