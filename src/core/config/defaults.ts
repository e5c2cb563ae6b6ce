/** What is used where nobody says otherwise: of runs, and the numbers of a service. */
export const DEFAULTS = {
  /** LOOM_<AGENT>_MODEL, and LOOM_<AGENT>_SMALL_MODEL for commit messages and names; null: the CLI chooses, or none. */
  models: {
    claude: { model: "opus", smallModel: "haiku" },
    codex: { model: null, smallModel: null },
    // Its own choice, `auto`, asks another model first which one is to answer.
    gemini: { model: "gemini-2.5-pro", smallModel: "gemini-2.5-flash" },
    opencode: { model: null, smallModel: null },
  },
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
  /** LOOM_AUTO_ARCHIVE: a completed run is archived by itself. */
  autoArchive: false,
  /** LOOM_VALIDATION_STRICTNESS: what counts as a failure of a stage's checks. */
  strictness: "normal",
  /** LOOM_GATE_CHANGES: what becomes of a stage whose gate passes only as the stage defines it. */
  gateChanges: "ask",
  /** LOOM_STATE_DIR: the folder of the repository that holds the documents of runs. */
  stateDir: ".loom",
  /** LOOM_EXECUTION_MODE: whoever approves a plan approves its shape. */
  executionMode: "parallel",
  /** How plans are made, unless the repository says otherwise. */
  planner: {
    degraded: "require-approval",
    depth: "standard",
    mode: "guided",
    remindAfterSecs: 24 * 3_600,
    defaultAfterSecs: 72 * 3_600,
    budgetUsd: 10,
  },
  /** What one agent may take that reads and answers. */
  commands: { budgetUsd: 2, timeoutSecs: 1_800 },
  /** LOOM_WINDOW_TITLE: progress in the title of the terminal. */
  windowTitle: "auto",
  /** LOOM_SANDBOX, and LOOM_SANDBOX_CMD for a wrapper of one's own. */
  sandbox: "auto",
  sandboxCommand: null,
  /** LOOM_SETUP_NETWORK: what agents changed is set up without a network. */
  setupNetwork: "base",
  /** LOOM_LIMIT_PROCESSES, LOOM_LIMIT_MEMORY_MB, LOOM_LIMIT_FILE_MB, LOOM_LIMIT_DISK_MB: of one sandbox of the sandbox. */
  limits: { processes: 512, memoryMb: 8_192, fileMb: 2_048, diskMb: 10_240 },
  /** LOOM_KEEP_DAYS, LOOM_KEEP_MB: what ended runs left besides their ledgers, in one repository. */
  keep: { days: 90, megabytes: 1_024 },
  /** HOST, PORT, LOOM_CONCURRENCY, LOOM_LEASE_SECS, LOOM_SWEEP_SECS. */
  service: { host: "127.0.0.1", port: 3_000, concurrency: 2, leaseSecs: 30, sweepSecs: 60 },
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
