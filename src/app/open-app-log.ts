import type { Transform } from "node:stream";
import { getTransformStream } from "@probot/pino";
import { type Logger, pino } from "pino";
import type { AuditFields } from "../core/report/audit/audit-fields.ts";
import { createRedactor, type Redact } from "../core/secrets/redact.ts";
import { visibleLines } from "../core/text/escape-text.ts";
import type { Env } from "./read-app-env.ts";

export type AppLog = Logger;

export type AppLogOptions = {
  readonly level?: string | undefined;
  readonly format: "json" | "pretty";
  /** Texts that may never be written: keys, secrets, passwords. */
  readonly secrets: readonly string[];
  readonly write?: (text: string) => void;
};

const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

export function readLogEnv(env: Env): Pick<AppLogOptions, "level" | "format"> {
  const format = env.LOG_FORMAT || (env.NODE_ENV === "production" ? "json" : "pretty");
  const level = env.LOG_LEVEL?.toLowerCase();
  return {
    level: level && LEVELS.includes(level) ? level : "info",
    format: format === "pretty" ? "pretty" : "json",
  };
}

/**
 * Probot's log, with two differences. Errors lose the event that Probot hangs on them: it would put a whole payload of up
 * to 25 MB into the log for every forged signature. And every line passes a filter, so that no secret gets out whatever
 * wrote it (T18).
 */
export async function openAppLog(options: AppLogOptions): Promise<AppLog> {
  const write = options.write ?? ((text: string) => void process.stdout.write(text));
  const clean = cleanLines(options.secrets);
  const isJson = options.format === "json";
  return pino(
    {
      name: "loom",
      level: options.level ?? "info",
      serializers: { err: describeError, error: describeError, event: () => undefined },
      hooks: { streamWrite: isJson ? clean : (line) => clean(visibleFields(line)) },
    },
    // Lines are JSON already: Probot's stream would hand them on as they are.
    isJson ? { write } : await openPrettyLines(write),
  );
}

async function openPrettyLines(write: (text: string) => void): Promise<Transform> {
  const format = await getTransformStream({ logFormat: "pretty" });
  return format.on("data", (line: unknown) => write(String(line)));
}

/** JSON shows what can't be seen as escapes, which the pretty format takes back: others wrote some of it (T19). */
function visibleFields(line: string): string {
  const shown = JSON.parse(line, (key, value) => {
    if (typeof value !== "string") return value;
    const text = visibleLines(value);
    // A message is one line; stacks have many.
    return key === "msg" ? text.replaceAll("\n", "␊") : text;
  });
  return `${JSON.stringify(shown)}\n`;
}

/** One line per refusal, in fields that stay what they are: operators search for them. */
export function auditInLog(log: Pick<AppLog, "warn">): (audit: AuditFields, message: string) => void {
  return (audit, message) => log.warn({ audit }, message);
}

type Described = { type: string; message: string; stack: string; status?: unknown; cause?: unknown };

/** An AggregateError's own stack says nothing that those of its errors don't. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const described: Described = { type: error.name, message: error.message, stack: error.stack ?? "" };
  if ("status" in error) described.status = error.status;
  const cause = error instanceof AggregateError ? error.errors[0] : error.cause;
  if (cause !== undefined) described.cause = describeError(cause);
  return described;
}

const TOKENS =
  /\b(?:gh[opusr]_[\w.-]{16,}|github_pat_\w{16,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}|v1\.[0-9a-f]{40})/g;
const LONG_LINE = 32;

function cleanLines(secrets: readonly string[]): Redact {
  const forms = secrets.flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    // A key can come out line by line.
    ...secret.split(/\\n|\s+/).filter((line) => line.length >= LONG_LINE),
  ]);
  const redact = createRedactor(Object.fromEntries(forms.map((form, index) => [`${index}_SECRET`, form])));
  return (text) => redact(text).replace(TOKENS, "[secret]");
}
