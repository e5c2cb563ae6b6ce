import { BOUNDARIES, type Refusal } from "../../policy/boundaries.ts";

/** The lines of the operator's log about attacks. */
export const auditTexts = {
  /** `count`: how many refusals the line stands for. */
  line({ boundary, rule }: Pick<Refusal, "boundary" | "rule">, what: string, count: number): string {
    const more = count > 1 ? ` (${count} times since the last such line)` : "";
    return `refused at ${boundary}/${rule} (${BOUNDARIES[boundary].threats.join(", ")}): ${what}${more}`;
  },

  webhook: {
    malformed: "a webhook whose head is not that of one from GitHub.",
    forged:
      "a webhook whose signature does not match. If GitHub sent it, WEBHOOK_SECRET differs from the App's settings.",
    "too-large": "a webhook that is larger than what GitHub sends.",
    crumbs: "a webhook that came in pieces that are too small.",
    "crowded-out": "a webhook, because too much was being sent at once. Loom asks GitHub for what it missed.",
    unreadable: "a webhook that is signed, but holds no JSON object.",
  },
  connection: {
    "too-many": "the connection that had been idle or sending for the longest, because there were too many.",
    pipelined: "a connection that sent its next request before the answer to the last one.",
  },
  setup: {
    secret: "somebody who opened the set-up page without the secret in its address.",
  },

  jobOfNobody: (kind: string) => `a ${kind} job for a repository that nobody has heard of.`,
  command: (verb: string, number: number, role: string) => `/loom ${verb} on #${number} by the role ${role}.`,
  answer: (number: number, role: string) => `an answer to the planner on #${number} by the role ${role}.`,
  button: (verb: string, role: string) => `the button ${verb}, pressed by the role ${role}.`,
  labelByBot: (number: number) => `a label on #${number} that a bot set.`,
  account: () => "a login that belongs to another account than the one that acted.",
  author: () => "a command in words that another account wrote, or that were moved here from elsewhere.",
  approval: (via: string, role: string) => `an approval by ${via} from the role ${role}.`,
  tooOld: (number: number, at: string) =>
    `what was written on #${number} at ${at}: it is too old to come from GitHub just now, so that somebody sent it again.`,
  pastAttempt: (verb: string, attempt: number) =>
    `the button ${verb} of attempt ${attempt}, which others have followed.`,
  heardBefore: (number: number) => `a command in a comment on #${number} that was acted on before.`,
  olderThanRun: (number: number) =>
    `a command in a comment on #${number} that is older than the run it would change.`,
  copy: (ref: string) => `the copy of a ledger at ${ref}, which is not signed by this App; it is ignored.`,
  shortened: (run: string, events: number) =>
    `a ledger that was cut back: that of the run ${run} had lost its last ${events} events; they are back from its copy in git.`,

  host: (name: string) => `a connection to ${name}.`,
  modelRequest: (what: string) => `a request to the model's host: ${what}.`,
  toolCall: (tool: string, command: string | null, reason: string) =>
    `${command === null ? tool : `${tool}: ${command}`} (${reason})`,
  planRule: (paths: string) => `changes of what the sandbox rules of the plan forbid: ${paths}.`,
  readOnlyAgent: (agent: string) => `changes by the agent ${agent}, which may only read; they were put back.`,
};
