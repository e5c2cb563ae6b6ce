import type { Errand } from "../../core/errand/errand.ts";
import type { ErrandEvent } from "../../core/errand/errand-events.ts";
import { evolveErrand } from "../../core/errand/evolve-errand.ts";
import { UserError } from "../../core/errors.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import { type Book, createBook } from "../book.ts";

/** The ledgers of errands. */
export type ErrandBook = Book<ErrandEvent, Errand>;

export function createErrandBook(
  store: LedgerStore<ErrandEvent>,
  clean: (event: ErrandEvent) => ErrandEvent = (event) => event,
  onEvent: (event: ErrandEvent, errand: Errand) => void = () => {},
): ErrandBook {
  const book = createBook({
    store,
    evolve: evolveErrand,
    clean,
    onEvent,
    unknown: (id) =>
      new UserError(`There is no errand ${id}.`, { next: "It may have been forgotten; ask for it again." }),
  });
  // A run begins with the approved bytes, which nobody may touch; an errand begins with what people wrote.
  return { ...book, create: (id, events) => book.create(id, events.map(clean)) };
}
