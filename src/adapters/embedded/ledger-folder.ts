import { join } from "node:path";
import { UserError } from "../../core/errors.ts";
import { isId } from "../../core/ids.ts";
import type { LedgerWords } from "../../core/report/audit/ledger-words.ts";

/** Where a ledger lies. Throws before a text that is no id becomes a path. */
export function ledgerFolder(root: string, id: string, words: LedgerWords): string {
  if (!isId(id)) {
    throw new UserError(`${JSON.stringify(id)} is not the name of ${words.withArticle}.`, {
      next: words.seeNames,
      exitCode: 2,
    });
  }
  return join(root, id);
}

export function ledgerPath(root: string, id: string, words: LedgerWords): string {
  return join(ledgerFolder(root, id, words), "events.jsonl");
}
