/**
 * Where Loom refuses what an attacker would try, and by which rules. One refusal is one line in the operator's log, under
 * these names: they are searched for and alerted on, so they stay what they are. `docs/threat-model.md` lists them.
 */
export const BOUNDARIES = {
  connection: {
    holds: "how many connections strangers may hold open, and what they send on one",
    threats: ["T44"],
    rules: ["too-many", "pipelined"],
  },
  webhook: {
    holds: "who may send deliveries, and how large",
    threats: ["T21", "T44"],
    rules: ["malformed", "forged", "too-large", "crumbs", "crowded-out", "unreadable"],
  },
  setup: {
    holds: "who may open the page that registers the App",
    threats: ["T23"],
    rules: ["secret"],
  },
  store: {
    holds: "what counts as written by Loom: ledgers, deliveries, notes, copies in git",
    threats: ["T32"],
    rules: ["unsigned", "forged", "cut", "unreadable", "note", "copy", "shortened"],
  },
  job: {
    holds: "which jobs are done",
    threats: ["T22"],
    rules: ["unknown-repository", "malformed"],
  },
  command: {
    holds: "who may give commands",
    threats: ["T1", "T5", "T46"],
    rules: ["role", "bot", "account"],
  },
  approval: {
    holds: "which plan an approval is for, and from whom",
    threats: ["T4", "T5", "T6", "T33"],
    rules: ["role", "foreign", "moved", "pushed", "changed", "older", "used"],
  },
  replay: {
    holds: "what was said or pressed before",
    threats: ["T33"],
    rules: ["too-old", "past-attempt", "used", "older"],
  },
  plan: {
    holds: "what a plan may open",
    threats: ["T30"],
    rules: ["private-host", "whole-network", "sandbox-off"],
  },
  network: {
    holds: "which hosts a sandbox reaches",
    threats: ["T7", "T24", "T30"],
    rules: ["host", "private"],
  },
  model: {
    holds: "which requests the model's host gets",
    threats: ["T31"],
    rules: ["request"],
  },
  policy: {
    holds: "which commands an agent may run",
    threats: ["T7", "T9"],
    rules: ["command"],
  },
  sandbox: {
    holds: "how much a sandbox uses, and that its programs end as they say",
    threats: ["T25", "T35"],
    rules: ["processes", "memory", "file", "disk", "forged-end"],
  },
  import: {
    holds: "what an agent's change may hold",
    threats: ["T8", "T15", "T16", "T29", "T38", "T41", "T45"],
    rules: [
      "protected-path",
      "escaping-link",
      "submodule",
      "oversized",
      "change-too-large",
      "embedded-repository",
      "secret",
      "bad-name",
      "plan-rule",
      "read-only",
    ],
  },
  published: {
    holds: "what people could overlook in a change; it is taken and pointed out to them",
    threats: ["T45", "T46"],
    rules: ["hidden-text", "hidden-diff", "odd-name"],
  },
  service: {
    holds: "that a service runs agents in a sandbox only",
    threats: ["T43"],
    rules: ["no-sandbox"],
  },
} as const satisfies Readonly<Record<string, BoundaryEntry>>;

type BoundaryEntry = {
  /** For the documents. */
  readonly holds: string;
  readonly threats: readonly string[];
  readonly rules: readonly string[];
};

export type Boundary = keyof typeof BOUNDARIES;
export type RuleOf<W extends Boundary> = (typeof BOUNDARIES)[W]["rules"][number];

type About = {
  /** The run, or the task of an agent outside of one. */
  readonly run?: string | undefined;
  readonly stage?: string | undefined;
  /** `owner/name`, where it is known. */
  readonly repo?: string | undefined;
  /** Whose doing it was: a login, or `agent`, `setup`, `check` in a sandbox. */
  readonly who?: string | undefined;
  /** For people; what others wrote may stand in it as it is. */
  readonly what: string;
};

export type RefusalAt<W extends Boundary> = About & { readonly boundary: W; readonly rule: RuleOf<W> };

/** One thing that was refused. A rule goes with its own boundary only. */
export type Refusal = { [W in Boundary]: RefusalAt<W> }[Boundary];
