import type { Refusal } from "../../core/policy/boundaries.ts";
import { type AuditFields, auditFields, safeRefusal } from "../../core/report/audit/audit-fields.ts";
import { auditTexts } from "../../core/report/audit/audit-texts.ts";
import type { Redact } from "../../core/secrets/redact.ts";
import type { Audit } from "../../ports/audit.ts";

/** Writes one line: `fields` for programs, `message` for people. */
export type WriteAudit = (fields: AuditFields, message: string) => void;

export type AuditLog = Audit & {
  /** Tells what is still untold. */
  close(): void;
};

export type AuditLogOptions = {
  readonly write: WriteAudit;
  readonly redact: Redact;
  readonly now?: () => number;
};

/** One line of a kind in so long; what else comes meanwhile is counted. */
const EVERY_MS = 60_000;
/** Kinds with a run of their own; beyond that, runs share a line by boundary and rule, of which there are a few dozen. */
const MAX_KINDS = 100;

type Kind = { readonly last: Refusal; readonly at: number; untold: number };

/**
 * One line per boundary, rule and run in a minute, so that an operator sees an attack and no attack fills the log. What is left
 * out is counted; the count comes with the next line of its kind, or alone once the minute is over. A flood costs a look
 * into a table for each refusal: only what is written is searched for secrets.
 */
export function createAuditLog({ write, redact, now = Date.now }: AuditLogOptions): AuditLog {
  const kinds = new Map<string, Kind>();
  let timer: NodeJS.Timeout | null = null;

  function put(key: string, refusal: Refusal, count: number): void {
    kinds.set(key, { last: refusal, at: now(), untold: 0 });
    write(auditFields(refusal, count), auditTexts.line(refusal, refusal.what, count));
  }

  /** Tells counts whose minute is over, and forgets kinds that nothing came of since. */
  function settle(isDue: (kind: Kind) => boolean): void {
    for (const [key, kind] of kinds) {
      if (!isDue(kind)) continue;
      if (kind.untold > 0) put(key, kind.last, kind.untold);
      else kinds.delete(key);
    }
  }

  const isOver = ({ at }: Kind): boolean => now() - at >= EVERY_MS;

  function lookLater(): void {
    timer ??= setTimeout(() => {
      timer = null;
      settle(isOver);
      if (kinds.size > 0) lookLater();
    }, EVERY_MS).unref();
  }

  return {
    refused(refusal) {
      const own = `${refusal.boundary} ${refusal.rule} ${(refusal.run ?? "").slice(0, 200)}`;
      const known = kinds.get(own);
      if (!known && kinds.size >= MAX_KINDS) settle(isOver);
      const isShared = !known && kinds.size >= MAX_KINDS;
      const key = isShared ? `${refusal.boundary} ${refusal.rule} *` : own;
      const kind = isShared ? kinds.get(key) : known;
      if (kind && !isOver(kind)) {
        kind.untold += 1;
        return;
      }
      const safe = safeRefusal(isShared ? { ...refusal, run: undefined } : refusal, redact);
      put(key, safe, (kind?.untold ?? 0) + 1);
      lookLater();
    },
    close() {
      if (timer) clearTimeout(timer);
      timer = null;
      settle(({ untold }) => untold > 0);
      kinds.clear();
    },
  };
}

/** For all that belongs to one repository. */
export function auditOf(audit: Audit, repo: string): Audit {
  return { refused: (refusal) => audit.refused({ repo, ...refusal }) };
}

/** For who looks only, and for programs that nobody attacks. */
export const NO_AUDIT: Audit = { refused: () => {} };
