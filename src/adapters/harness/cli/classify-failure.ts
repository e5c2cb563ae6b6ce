import type { Millis } from "../../../core/ids.ts";
import type { AgentFailure, AgentFailureKind } from "../../../core/session/agent-failure.ts";
import { plainText } from "../../../core/text/escape-text.ts";
import { countCodePoints, cutText } from "../../../core/text/text-width.ts";
import type { ProcessExit } from "../../../ports/process-supervisor.ts";
import type { Traffic } from "../../../ports/sandbox.ts";
import { amountAt, type JsonObject, jsonLine, objectAt, objectsAt, textAt } from "./json-line.ts";

export type FailureSigns = {
  /** What the model answered, in order. */
  readonly traffic: readonly Traffic[];
  /** What the CLI itself said to be wrong; never what the model said. */
  readonly said: string | null;
  /** The HTTP status that the CLI says it was, where it has a field for that; else it is looked for in `said`. */
  readonly status?: number | null;
  readonly exit: ProcessExit;
} & FailureContext;

export type FailureContext = {
  /** The harness, whose settings are named where changing one helps. */
  readonly harness?: string;
  /** For times that are given as a span. */
  readonly now?: () => Millis;
};

/**
 * Why a session failed; null when it ended well and nothing was said to be wrong. The provider's own answer, seen on its
 * way through Loom's endpoint, is believed before the CLI's retelling of it. An answer counts when it is the last one or has
 * the status that the CLI complains about: CLIs ask for titles and token counts on the side, and such a request may fail
 * without harm.
 */
export function classifyFailure(signs: FailureSigns): AgentFailure | null {
  const { traffic, exit } = signs;
  const said = signs.said === null || signs.said.trim() === "" ? null : signs.said;
  if (said === null && exit.kind === "exited" && exit.code === 0) return null;
  const answers = traffic.filter((seen) => seen.kind !== "denied");
  const last = answers.at(-1);
  if (last?.kind === "unreachable") return failureToReach(last.host, last.reason);
  const status = signs.status ?? (said === null ? null : statusIn(said));
  const answer = answers.findLast((seen) => seen.kind === "answered" && seen.status === status) ?? last;
  if (answer?.kind === "answered" && answer.status >= 400)
    return failureFromStatus(answer.status, answer.body ?? said, answer.retryAt, signs);
  if (status !== null) return failureFromStatus(status, said, null, signs);
  if (said === null) return failureOfExit(exit);
  const kind = kindOfText(said) ?? "unknown";
  return { kind, message: sentence(HEADS[kind], null, said), resetsAt: resetIn(kind, said, signs) };
}

/** What an answer of a provider means. `body` may be its JSON in any of the known shapes, a CLI's retelling, or nothing. */
export function failureFromStatus(
  status: number,
  body: string | null,
  retryAt: Millis | null,
  context: FailureContext = {},
): AgentFailure {
  const text = body ?? "";
  const kind = kindOf(status, text);
  const resetsAt =
    kind === "quota" || kind === "overloaded" ? (retryAt ?? resetIn(kind, text, context)) : null;
  const model = status === 404 ? unknownModel(text) : null;
  if (model !== null) {
    const setting = `LOOM_${context.harness?.toUpperCase() ?? "<HARNESS>"}_MODEL`;
    const message = `The provider does not know ${model} (404): name another one in the plan or in ${setting}.`;
    return { kind, message, resetsAt };
  }
  const isFault = kind === "overloaded" && status !== 529 && !/overload|capacity|demand/i.test(text);
  const head = isFault ? FAULT : HEADS[kind];
  return { kind, message: sentence(head, status, text), resetsAt };
}

const FAULT = "The provider has a fault";
const HEADS: Readonly<Record<AgentFailureKind, string>> = {
  auth: "The provider refused the key",
  quota: "The provider's limit is reached",
  overloaded: "The provider is overloaded",
  network: "The provider can't be reached",
  context: "The conversation does not fit into the model's window any more",
  turns: "The agent's limit of turns is reached",
  "bad-request": "The provider did not take the request",
  limit: "A limit of the sandbox is reached",
  "cut-off": "The agent ended without saying how it went",
  unknown: "The agent failed",
};

/** Without a result the program did not come to its end, whatever its exit code says. */
export const CUT_OFF: AgentFailure = { kind: "cut-off", message: `${HEADS["cut-off"]}.`, resetsAt: null };

/** In the order in which they are looked for: what is said about a limit often names the key or the connection, too. */
const TEXTS = {
  context:
    /prompt is too long|context[_ ]length[_ ]exceeded|maximum context length|input token count.{0,80}exceeds|exceeds? the (?:model's )?context window|input is too long|ran out of room in the model's context|conversation too long/i,
  quota:
    /insufficient_quota|usage[_ ]limit|rate[_ ]?limit|too many requests|credit balance|\bquota\b|resource[_ ]exhausted|out of (?:extra )?(?:credits?|usage)|(?:session|weekly|daily|monthly|hourly|spend(?:ing)?|opus|sonnet) limit|limit reached|payment required/i,
  auth: /authenticat|unauthori[sz]ed|(?:invalid|incorrect|missing|expired)[ _](?:x-)?api[ _-]?key|api[ _-]?key (?:not|is|was|expired|has)|not logged in|please run \/login|oauth token|permission[_ ]denied|token (?:has )?expired/i,
  overloaded:
    /overloaded|at capacity|high demand|server[_ ]error|api_error|internal error|bad gateway|service unavailable|gateway time-?out|temporarily unavailable|\bUNAVAILABLE\b|try again later/i,
  network:
    /\bE(?:CONN(?:REFUSED|RESET|ABORTED)|NOTFOUND|AI_AGAIN|TIMEDOUT|HOSTUNREACH|NETUNREACH|PIPE|PROTO)\b|socket hang up|fetch failed|connection (?:error|refused|reset|closed|failed)|(?:cannot|can't|could not|unable to|failed to) connect|network error|timed? ?out|certificate|\b(?:TLS|SSL)\b|error sending request|stream (?:disconnected|closed|ended)|terminated before/i,
  "bad-request":
    /invalid[_ ]request|model[_ ]not[_ ]found|model.{0,120}(?:does not exist|not found|not supported)|issue with the selected model|invalid[_ ]argument/i,
} as const;

function kindOfText(text: string): keyof typeof TEXTS | null {
  const kinds = Object.keys(TEXTS) as (keyof typeof TEXTS)[];
  return kinds.find((kind) => TEXTS[kind].test(text)) ?? null;
}

function kindOf(status: number, text: string): AgentFailureKind {
  if (status === 401 || status === 407) return "auth";
  if (status === 413) return "context";
  if (status === 402 || status === 429) return "quota";
  // Some providers answer 400 or 403 when there is no credit left.
  if (status < 500 && /insufficient_quota|usage[_ ]limit|credit balance|out of credits|billing/i.test(text))
    return "quota";
  if (status === 403) return "auth";
  if (status === 408 || status >= 500) return "overloaded";
  if (TEXTS.context.test(text)) return "context";
  // Google answers 400 to a key that it does not know.
  return status === 400 && /API_KEY_INVALID|api key not valid/i.test(text) ? "auth" : "bad-request";
}

/** What it means that nobody answered at all. */
export function failureToReach(host: string, reason: string): AgentFailure {
  return { kind: "network", message: sentence(HEADS.network, null, `${host}: ${reason}`), resetsAt: null };
}

function failureOfExit(exit: ProcessExit): AgentFailure {
  const message =
    exit.kind === "exited"
      ? `${HEADS["cut-off"]} (exit code ${exit.code}).`
      : exit.kind === "signalled"
        ? `${HEADS["cut-off"]} (${exit.signal}).`
        : `The agent could not be started: ${detailOf(exit.reason) ?? "no reason is known"}.`;
  return { kind: exit.kind === "not-started" ? "unknown" : "cut-off", message, resetsAt: null };
}

/** Such as `API Error: 529`, `unexpected status 401`, `"code":503`, `HTTP 502`, `(status code 500)`. */
function statusIn(text: string): number | null {
  const found =
    /(?:api error|status(?: ?code)?|http(?:\/[\d.]+)?|"code"|error)["']?\s*[:=(]?\s*\b([45]\d\d)\b/i.exec(
      text,
    );
  return found === null ? null : Number(found[1]);
}

function sentence(head: string, status: number | null, text: string): string {
  const detail = detailOf(text);
  const numbered = status === null ? head : `${head} (${status})`;
  return detail === null ? `${numbered}.` : `${numbered}: ${detail}.`;
}

const MAX_DETAIL = 240;

/** The provider's own words: the first sentence, without what could be a part of a key. */
function detailOf(text: string): string | null {
  const error = errorIn(text);
  const message = error === null ? text : (textAt(error, "message") ?? textAt(error, "type") ?? "");
  const line = plainText(message.slice(0, 8_000))
    .replace(/^\[?API Error:\s*(?:\d{3}\s+)?/i, "")
    .replace(/\b(?:sk|key)-[\w*.-]{3,}\w/g, "…")
    // Neither the address inside the sandbox nor a number behind a bar says anything to people.
    .replace(/,? \(?url: \S+|\|\d{10}\b/gi, "");
  const first = /^(.{12,}?[.!?])\s+\p{Lu}/u.exec(line)?.[1] ?? line;
  const cut = cutText(first.replace(/(?<![\s.:;])[\s.:;]+$/, ""), MAX_DETAIL, countCodePoints);
  return cut === "" ? null : cut;
}

/** `{"error":{"message":…}}` with whatever around it, as all known providers say it. */
function errorIn(text: string): JsonObject | null {
  const start = text.indexOf("{");
  if (start < 0) return null;
  const json = jsonLine(text.slice(start, text.lastIndexOf("}") + 1));
  // Only the beginning of an answer is kept; its message may be all that is there.
  if (json === null) return messageIn(text.slice(start));
  const error = objectAt(json, "error") ?? objectAt(json, "response", "error") ?? json;
  const nested = textAt(error, "message");
  // Some wrap the provider's JSON once more, as text.
  return nested?.trimStart().startsWith("{") ? (objectAt(jsonLine(nested), "error") ?? error) : error;
}

function messageIn(half: string): JsonObject | null {
  const quoted = /"message"\s*:\s*"((?:[^"\\]|\\.){1,4000})/s.exec(half)?.[1];
  return quoted === undefined ? null : (jsonLine(`{"message":"${quoted}"}`) ?? { message: quoted });
}

/** `model: x`, `models/x`, model `x`, model (x), model x does not exist */
const MODEL_NAMES = [
  /\bmodels?(?::\s*|\/|\s+[`'"“(]+)([\w./:@-]{1,100}\w)/i,
  /\bmodel\s+([\w./:@-]{1,100}\w)\s+(?:does not|is not|not found)/i,
];

/** What stands where a name would stand when the provider does not repeat it. */
const NO_NAME = /^(?:not|is|was|does|did|found|you|the|or|for)$/i;

/** `the model x`, or just `the model`; null: the provider speaks of something else. */
function unknownModel(text: string): string | null {
  const message = plainText((textAt(errorIn(text), "message") ?? text).slice(0, 8_000));
  const names = MODEL_NAMES.map((pattern) => pattern.exec(message)?.[1] ?? "");
  const name = names.find((found) => found !== "" && !NO_NAME.test(found));
  if (name !== undefined) return `the model ${name}`;
  return /\bmodels?\b/i.test(message) ? "the model" : null;
}

/** When the provider can be asked again, as far as its words tell. */
function resetIn(kind: AgentFailureKind, text: string, { now = Date.now }: FailureContext): Millis | null {
  if (kind !== "quota" && kind !== "overloaded") return null;
  const error = errorIn(text);
  const at =
    amountAt(error, "resets_at") ?? Number(/limit reached\|(\d{10})\b/i.exec(text)?.[1] ?? Number.NaN);
  if (Number.isFinite(at)) return at * 1000;
  const seconds = amountAt(error, "resets_in_seconds");
  if (seconds !== null) return now() + seconds * 1000;
  const delay = objectsAt(error, "details")
    .map((detail) => textAt(detail, "retryDelay"))
    .find((found) => found !== null);
  const span =
    delay ??
    /(?:try again|retry|resets?) (?:in|after) ([\d.]+ ?[a-z]+(?: ?[\d.]+ ?[a-z]+)*)/i.exec(text)?.[1];
  const millis = span === undefined ? null : millisIn(span);
  return millis === null ? null : now() + millis;
}

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/(?<![\d.])([\d.]+) ?(?:ms|milliseconds?)\b/i, 1],
  [/(?<![\d.])([\d.]+) ?(?:s|secs?|seconds?)(?![a-z])/i, 1_000],
  [/(?<![\d.])([\d.]+) ?(?:m|mins?|minutes?)(?![a-z])/i, 60_000],
  [/(?<![\d.])([\d.]+) ?(?:h|hours?)(?![a-z])/i, 3_600_000],
  [/(?<![\d.])([\d.]+) ?(?:d|days?)(?![a-z])/i, 86_400_000],
];

function millisIn(span: string): number | null {
  const found = UNITS.map(([unit, millis]) => Number(unit.exec(span)?.[1] ?? Number.NaN) * millis);
  const known = found.filter(Number.isFinite);
  return known.length === 0 ? null : Math.ceil(known.reduce((sum, part) => sum + part, 0));
}
