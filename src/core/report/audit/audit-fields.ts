import type { Refusal } from "../../policy/boundaries.ts";
import type { Redact } from "../../secrets/redact.ts";
import { visibleLines } from "../../text/escape-text.ts";

/** What a line of the log says for programs: always these fields, null where something is not known. */
export type AuditFields = {
  readonly boundary: string;
  readonly rule: string;
  readonly run: string | null;
  readonly stage: string | null;
  readonly repo: string | null;
  readonly who: string | null;
  /** How many refusals the line stands for. All counts together are all refusals. */
  readonly count: number;
};

/** Enough to see what it is; more is somebody who wants to fill a log. */
const MOST_CHARS = 500;
const MOST_NAME_CHARS = 120;
/** So much is looked at for secrets. */
const MOST_READ = 4_000;
/** A piece of a secret that is too short to be found may stand where a text was cut; it is left out. */
const AT_THE_CUT = 200;

/** A refusal whose texts are safe to keep and to write: short, without secrets, and with all that can't be seen made visible. */
export function safeRefusal({ run, stage, repo, who, what, ...at }: Refusal, redact: Redact): Refusal {
  const safe = (text: string | undefined, most: number): string | undefined =>
    text === undefined ? undefined : safeText(text, most, redact);
  return {
    ...at,
    run: safe(run, MOST_NAME_CHARS),
    stage: safe(stage, MOST_NAME_CHARS),
    repo: safe(repo, MOST_NAME_CHARS),
    who: safe(who, MOST_NAME_CHARS),
    what: safeText(what, MOST_CHARS, redact),
  } as Refusal;
}

function safeText(text: string, most: number, redact: Redact): string {
  const isCut = text.length > MOST_READ;
  const clean = redact(text.slice(0, MOST_READ));
  const kept = isCut ? clean.slice(0, -AT_THE_CUT) : clean;
  const shown = visibleLines(kept.slice(0, most)).replaceAll("\n", "␊").replaceAll("\t", " ");
  return isCut || kept.length > most ? `${shown.slice(0, most)}…` : shown.slice(0, 2 * most);
}

export function auditFields({ boundary, rule, run, stage, repo, who }: Refusal, count: number): AuditFields {
  return {
    boundary,
    rule,
    run: run ?? null,
    stage: stage ?? null,
    repo: repo ?? null,
    who: who ?? null,
    count,
  };
}
