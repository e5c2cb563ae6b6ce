import { appendFileSync, existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isId } from "../../core/ids.ts";
import type { AuditFields } from "../../core/report/audit/audit-fields.ts";

const MOST_BYTES = 1024 * 1024;

/**
 * `audit.log` beside the logs of the run or task that it is about, which goes with them. Written at once: lines are few. A
 * file that can't be written, or is full, is no reason to stop a run.
 */
export function createAuditFiles(roots: readonly string[]): (audit: AuditFields, message: string) => void {
  return (audit, message) => {
    const { run } = audit;
    const root = run !== null && isId(run) ? roots.find((one) => existsSync(join(one, run))) : undefined;
    if (root === undefined || run === null) return;
    const folder = join(root, run, "logs");
    const file = join(folder, "audit.log");
    try {
      mkdirSync(folder, { recursive: true });
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) >= MOST_BYTES) return;
      appendFileSync(file, `${JSON.stringify({ time: new Date().toISOString(), audit, msg: message })}\n`);
    } catch {
      // The refusal itself stands, and is in the ledger.
    }
  };
}
