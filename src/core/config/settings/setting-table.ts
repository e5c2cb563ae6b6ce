import { WEEK } from "../../plan/schema-parts.ts";
import { table } from "../../table.ts";
import { CHANGE_LIMITS } from "../change-limits.ts";
import { DEFAULTS } from "../defaults.ts";
import { CLAUDE_ALIASES, KNOWN_HARNESSES } from "../harness-settings.ts";

export const SANDBOX_MODES = ["auto", "bubblewrap", "container", "off"] as const;
export const WINDOW_TITLES = ["auto", "1", "0"] as const;

/**
 * Every variable that Loom reads, once: what it does, what it is when nobody sets it, and who may set it. A test holds it
 * against the sources, so that no variable stays out.
 *
 * `weakest` says how far down a value may come from. What a repository's own `.env` says is the repository's word, and
 * people run Loom in repositories that they don't trust: so nothing that starts programs, opens the sandbox, names addresses or
 * holds keys may come from there.
 */
export type Setting = {
  readonly name: string;
  readonly about: string;
  readonly group: SettingGroup;
  readonly kind: SettingKind;
  /** As people read it; null: none. */
  readonly default: string | null;
  readonly weakest: "workspace" | "user" | "exported";
  /** Of the values, those that a repository may choose; absent: any. */
  readonly workspaceTakes?: (value: string) => boolean;
  /** An empty text is a value of its own; elsewhere it is the same as none. */
  readonly takesNothing: boolean;
  /** Another name for the same thing; the stronger source counts, whichever name it uses. */
  readonly twin?: string;
};

/** `words`: a list of which only the wrong ones are passed over. `secret`: never shown. */
export type SettingKind =
  | "number"
  | "seconds"
  | "word"
  | "words"
  | "text"
  | "path"
  | "command"
  | "address"
  | "secret";

export const SETTING_GROUPS = ["runs", "agents", "sandbox", "terminal", "service", "keys"] as const;
export type SettingGroup = (typeof SETTING_GROUPS)[number];

type Row = readonly [name: string, kind: SettingKind, value: string | number | null, about: string];
type Common = Pick<Setting, "group" | "weakest"> & Partial<Pick<Setting, "workspaceTakes">>;

function rows(common: Common, ...list: readonly Row[]): Setting[] {
  return list.map(([name, kind, value, about]) => ({
    ...common,
    name,
    kind,
    about,
    default: value === null ? null : String(value),
    takesNothing: kind === "words" || SET_TO_NOTHING.test(name),
    ...(BRAKES[name] ? { workspaceTakes: BRAKES[name] } : {}),
  }));
}

/** Besides lists: no retries while a provider is away, and no model for small texts. */
const SET_TO_NOTHING = /^LOOM_RETRY_DELAYS$|_SMALL_MODEL$|^LOOM_COMMIT_MODEL$/;

/** The harnesses that are programs of their own and bring their own rules; the others run what a variable names. */
const CLIS = KNOWN_HARNESSES.filter((id) => id !== "command" && id !== "scripted");

const areClis = (value: string): boolean =>
  value
    .toLowerCase()
    .split(/[\s,]+/)
    .every((word) => word === "" || CLIS.some((id) => id === word));
// A model's name becomes an argument of its CLI.
const namesNoProgram = (value: string): boolean =>
  !/\b(?:command|scripted)\b/i.test(value) && !/[:=]\s*-/.test(value);
const isModelName = (value: string): boolean => /^(?:\w[\w./:@+-]{0,199})?$/.test(value.trim());

/** What is no number is let through: its reader says what is wrong with it. */
const isWithin =
  (least: number, most: number, items = 1) =>
  (value: string): boolean => {
    const numbers = value.split(",").map(Number);
    return numbers.length <= items && !numbers.some((number) => number < least || number > most);
  };

/** Brakes that a repository may set and not lift, as far as its `.github/loom.yml` and its plans may go. */
const BRAKES: Readonly<Record<string, (value: string) => boolean>> = table({
  LOOM_MAX_RETRIES: isWithin(0, 100),
  LOOM_MAX_CONCURRENT: isWithin(1, 1_000),
  LOOM_TIMEOUT: isWithin(0, WEEK),
  LOOM_PLAN_TIMEOUT: isWithin(0, WEEK),
  LOOM_NO_PROGRESS_SECS: isWithin(1, WEEK),
  LOOM_RETRY_DELAYS: isWithin(0, WEEK, 10),
  LOOM_RETRY_BACKOFF: isWithin(0, WEEK, 2),
  LOOM_MAX_TURNS: isWithin(1, 1_000),
});

const RUNS = [
  ...rows(
    { group: "runs", weakest: "workspace" },
    ["LOOM_DISABLED_AGENTS", "words", null, "agents that no stage is given to"],
    ["LOOM_MAX_RETRIES", "number", DEFAULTS.retries, "further attempts of a stage after the first"],
    ["LOOM_MAX_CONCURRENT", "number", DEFAULTS.maxParallel, "agents at a time; 0 lifts the limit"],
    ["LOOM_EXECUTION_MODE", "word", DEFAULTS.executionMode, "parallel, sequential, or ask before a run"],
    ["LOOM_VALIDATION_STRICTNESS", "word", DEFAULTS.strictness, "strict, normal or lenient checks"],
    ["LOOM_AUTO_ARCHIVE", "word", `${DEFAULTS.autoArchive}`, "put completed runs away by themselves"],
    ["LOOM_STATE_DIR", "path", DEFAULTS.stateDir, "where the repository keeps the documents of runs"],
    [
      "LOOM_CONTRACT",
      "word",
      DEFAULTS.contract,
      "whether agents must say in a fixed form that they are done",
    ],
    ["LOOM_EFFORT", "word", DEFAULTS.effort, "how hard agents think"],
    ["LOOM_PLAN_EFFORT", "word", DEFAULTS.planEffort, "how hard those that plan think"],
    ["LOOM_TIMEOUT", "seconds", DEFAULTS.timeoutSecs, "the ceiling of one session"],
    ["LOOM_PLAN_TIMEOUT", "seconds", DEFAULTS.planTimeoutSecs, "the ceiling of a session that plans"],
    ["LOOM_NO_PROGRESS_SECS", "seconds", DEFAULTS.noProgressSecs, "the stall window; 0 turns it off"],
    [
      "LOOM_RETRY_DELAYS",
      "seconds",
      DEFAULTS.transientDelaysSecs.join(","),
      "pauses while a provider is away",
    ],
    [
      "LOOM_RETRY_BACKOFF",
      "seconds",
      `${DEFAULTS.backoffSecs.base},${DEFAULTS.backoffSecs.max}`,
      "first and longest pause after a crash",
    ],
    ["LOOM_MAX_TURNS", "number", DEFAULTS.maxTurns, "turns of one session"],
  ),
  ...rows(
    { group: "runs", weakest: "user" },
    // Who writes the code must not decide that nobody looks at it (T37).
    ["LOOM_GATE_CHANGES", "word", DEFAULTS.gateChanges, "ask or warn when a stage redefines its gate"],
    ["LOOM_TREES", "path", "~/.cache/loom/trees", "where work trees stand"],
    ["LOOM_KEEP_DAYS", "number", DEFAULTS.keep.days, "days that logs of ended runs are kept"],
    ["LOOM_KEEP_MB", "number", DEFAULTS.keep.megabytes, "megabytes of such logs in one repository"],
  ),
  // It says where the user's own file is, so it can't stand in there.
  ...rows({ group: "runs", weakest: "exported" }, [
    "LOOM_CONFIG",
    "path",
    "~/.config/loom",
    "your own folder: settings, prompts, policies",
  ]),
];

const AGENTS: Setting[] = [
  ...rows(
    { group: "agents", weakest: "workspace", workspaceTakes: areClis },
    ["LOOM_HARNESS", "word", null, "the agent of stages that name none"],
    ["LOOM_FALLBACK", "words", null, "agents to go on with while one is out of quota"],
  ),
  ...rows({ group: "agents", weakest: "workspace", workspaceTakes: namesNoProgram }, [
    "LOOM_ROUTES",
    "words",
    null,
    "who does which work, such as review=codex@high",
  ]),
  ...CLIS.flatMap(ofCli),
  ...rows({ group: "agents", weakest: "workspace" }, [
    "LOOM_OPENCODE_WINDOW",
    "number",
    null,
    "tokens that the model of opencode takes",
  ]),
  ...rows(
    { group: "agents", weakest: "user" },
    ["LOOM_OPENCODE_URL", "address", null, "a server of one's own for opencode"],
    ["LOOM_COMMAND_BIN", "command", null, "the program that works as the agent `command`"],
    ["LOOM_COMMAND_ARGS", "command", null, "its arguments"],
    ["LOOM_SCRIPT", "path", null, "the script of the agent `scripted`"],
    ["LOOM_PASS_ENV", "words", null, "variables that programs of agents may see"],
  ),
];

function ofCli(id: keyof typeof DEFAULTS.models): Setting[] {
  const prefix = `LOOM_${id.toUpperCase()}`;
  const isClaude = id === "claude";
  const { model, smallModel } = DEFAULTS.models[id];
  const own = [
    ...rows(
      { group: "agents", weakest: "workspace", workspaceTakes: isModelName },
      [`${prefix}_MODEL`, "text", model, `the model of ${id}`],
      [`${prefix}_SMALL_MODEL`, "text", smallModel, "its model for small texts"],
    ),
    ...rows(
      { group: "agents", weakest: "user" },
      [`${prefix}_BIN`, "command", null, `where the program of ${id} is`],
      [`${prefix}_ARGS`, "command", null, `further arguments for ${id}`],
    ),
  ];
  return own.flatMap((setting): Setting[] => {
    const older = isClaude ? CLAUDE_ALIASES[setting.name.slice(prefix.length + 1)] : undefined;
    if (older === undefined) return [setting];
    const about = `an older name of ${setting.name}`;
    return [
      { ...setting, twin: older },
      { ...setting, name: older, about, twin: setting.name },
    ];
  });
}

const SANDBOX = rows(
  { group: "sandbox", weakest: "user" },
  ["LOOM_SANDBOX", "word", DEFAULTS.sandbox, "auto, bubblewrap, container or off"],
  ["LOOM_SANDBOX_CMD", "command", DEFAULTS.sandboxCommand, "a wrapper of one's own"],
  ["LOOM_SANDBOX_IMAGE", "text", null, "the image of LOOM_SANDBOX=container"],
  ["LOOM_SANDBOX_SHOW", "path", null, "further folders of programs that agents see"],
  ["LOOM_ALLOWED_DOMAINS", "words", null, "hosts that agents may reach in addition to their model"],
  ["LOOM_SETUP_DOMAINS", "words", "package registries", "hosts that set-up commands may reach"],
  [
    "LOOM_SETUP_NETWORK",
    "word",
    DEFAULTS.setupNetwork,
    "commit lets set-up reach hosts on agents' work as well",
  ],
  ["LOOM_CHECK_DOMAINS", "words", null, "hosts that checks may reach"],
  ["LOOM_MODEL_ALLOW", "words", null, "further fields of requests to the model"],
  ["LOOM_LIMIT_PROCESSES", "number", DEFAULTS.limits.processes, "processes in one sandbox"],
  ["LOOM_LIMIT_MEMORY_MB", "number", DEFAULTS.limits.memoryMb, "memory of one sandbox"],
  ["LOOM_LIMIT_FILE_MB", "number", DEFAULTS.limits.fileMb, "the largest file of a sandbox"],
  ["LOOM_LIMIT_DISK_MB", "number", DEFAULTS.limits.diskMb, "what a sandbox may write"],
  ["LOOM_LIMIT_CHANGE_FILES", "number", CHANGE_LIMITS.files, "files that one stage may change"],
  ["LOOM_LIMIT_CHANGE_MB", "number", CHANGE_LIMITS.megabytes, "size of the files that one stage may change"],
);

const TERMINAL = rows(
  { group: "terminal", weakest: "user" },
  ["LOOM_WINDOW_TITLE", "word", DEFAULTS.windowTitle, "progress in the title of the terminal: 1, 0 or auto"],
  ["LOOM_DEBUG", "word", null, "1 shows where something went wrong inside Loom"],
  ["LOOM_PROFILE", "path", null, "1 or a folder: keeps what took time and processes"],
);

const SERVICE = [
  ...rows(
    { group: "service", weakest: "user" },
    ["HOST", "text", DEFAULTS.service.host, "the address that `loom app` listens on"],
    ["PORT", "number", DEFAULTS.service.port, "where `loom app` listens"],
    ["LOOM_PORT", "number", null, "the same, before PORT"],
    ["LOOM_URL", "address", null, "how GitHub reaches it"],
    ["LOOM_DATA", "path", "~/.local/state/loom", "ledgers, mirrors and work trees of a service"],
    ["LOOM_CONCURRENCY", "number", DEFAULTS.service.concurrency, "agents at a time on this machine"],
    ["LOOM_LABELS", "words", null, "what `runs_on` may ask for here"],
    ["LOOM_MAX_PER_INSTALLATION", "number", null, "agents at a time for one account"],
    ["LOOM_WORKER", "text", null, "the name of this worker; the host's unless set"],
    ["LOOM_LEASE_SECS", "seconds", DEFAULTS.service.leaseSecs, "how long a silent worker keeps its work"],
    ["LOOM_SWEEP_SECS", "seconds", DEFAULTS.service.sweepSecs, "how often lost things are looked for"],
    ["LOOM_WRITE_PAUSE_MS", "number", 1000, "the pause between writes to GitHub"],
    ["LOOM_EVENTS_URL", "secret", null, "where a service reports what happens"],
    ["LOOM_EVENTS_SECRET", "secret", null, "what those reports are signed with"],
    ["REDIS_URL", "secret", null, "the Redis that the App and its workers share"],
    ["GHE_HOST", "text", null, "the name of a GitHub Enterprise server"],
    ["GHE_PROTOCOL", "word", "https", "how it is spoken to"],
    ["GH_ORG", "text", null, "the organisation that owns the App, for the first start"],
    ["WEBHOOK_PROXY_URL", "secret", null, "another address for webhooks, for the first start"],
    ["LOG_LEVEL", "word", "info", "how much a service logs"],
    ["LOG_FORMAT", "word", "pretty", "pretty or json"],
  ),
  // They stand in the file that LOOM_ENV_FILE names.
  ...rows(
    { group: "service", weakest: "exported" },
    ["LOOM_ENV_FILE", "path", ".env", "the file with the App's own key"],
    ["APP_ID", "text", null, "the App's number"],
    ["PRIVATE_KEY", "secret", null, "the App's key"],
    ["PRIVATE_KEY_PATH", "path", null, "the file that holds the App's key"],
    ["PREVIOUS_PRIVATE_KEY", "secret", null, "the App's key before it was replaced"],
    ["PREVIOUS_PRIVATE_KEY_PATH", "path", null, "the file that holds that key"],
    ["WEBHOOK_SECRET", "secret", null, "what GitHub signs webhooks with"],
  ),
];

const KEYS = rows(
  { group: "keys", weakest: "user" },
  ["ANTHROPIC_API_KEY", "secret", null, "the key of claude, and of opencode"],
  ["ANTHROPIC_AUTH_TOKEN", "secret", null, "another key of claude"],
  ["CLAUDE_CODE_OAUTH_TOKEN", "secret", null, "the key of claude for a subscription"],
  ["OPENAI_API_KEY", "secret", null, "the key of codex, and of opencode"],
  ["CODEX_API_KEY", "secret", null, "another key of codex"],
  ["GEMINI_API_KEY", "secret", null, "the key of gemini, and of opencode"],
  ["GOOGLE_API_KEY", "secret", null, "another key of gemini"],
  ["GOOGLE_GENERATIVE_AI_API_KEY", "secret", null, "a key of opencode"],
  ["DEEPSEEK_API_KEY", "secret", null, "a key of opencode"],
  ["GROQ_API_KEY", "secret", null, "a key of opencode"],
  ["MISTRAL_API_KEY", "secret", null, "a key of opencode"],
  ["OPENROUTER_API_KEY", "secret", null, "a key of opencode"],
  ["XAI_API_KEY", "secret", null, "a key of opencode"],
  ["LOOM_OPENCODE_KEY", "secret", null, "the key of LOOM_OPENCODE_URL"],
  ["ANTHROPIC_BASE_URL", "address", null, "another address for claude's model"],
  ["OPENAI_BASE_URL", "address", null, "another address for codex's model"],
  ["GOOGLE_GEMINI_BASE_URL", "address", null, "another address for gemini's model"],
);

/** In the order in which people read them. */
export const SETTINGS: readonly Setting[] = [
  ...RUNS,
  ...AGENTS,
  ...SANDBOX,
  ...TERMINAL,
  ...SERVICE,
  ...KEYS,
];
