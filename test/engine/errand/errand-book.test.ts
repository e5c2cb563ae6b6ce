import { describe, expect, it } from "vitest";
import { createEmbeddedErrandStore } from "../../../src/adapters/embedded/errand-store.ts";
import type { ErrandEvent } from "../../../src/core/errand/errand-events.ts";
import { createErrandBook } from "../../../src/engine/errand/errand-book.ts";
import { errandCreated } from "../../contract/sample-events.ts";
import { tempFolder } from "../../support/git-repo.ts";

const ERRAND = "ask-1";
const AT = "2031-05-06T07:08:09.000Z";
const claimed = (claim: string): ErrandEvent => ({ type: "errand-claimed", at: AT, claim });

function openBook(root: string, clean?: (event: ErrandEvent) => ErrandEvent) {
  const shown: string[] = [];
  const store = createEmbeddedErrandStore({ root });
  const book = createErrandBook(store, clean, (event, errand) =>
    shown.push(`${event.type} v${errand.version}`),
  );
  return { book, store, shown };
}

describe("the book of errands", () => {
  it("shows every event once, whoever wrote it", async () => {
    const root = tempFolder();
    const [mine, theirs] = [openBook(root), openBook(root)];
    await mine.book.create(ERRAND, [errandCreated(ERRAND)]);
    await theirs.book.write(ERRAND, () => [claimed("them")]);
    expect((await mine.book.get(ERRAND)).claim).toBe("them");
    expect(mine.shown).toEqual(["errand-created v1", "errand-claimed v2"]);
    expect(theirs.shown).toEqual(["errand-created v1", "errand-claimed v2"]);
  });

  it("lets one of two workers claim that saw nobody's claim", async () => {
    const root = tempFolder();
    const books = [openBook(root).book, openBook(root).book];
    await books[0]?.create(ERRAND, [errandCreated(ERRAND)]);
    const outcomes = await Promise.all(
      books.map((book, n) =>
        book.write(ERRAND, (errand) => (errand.claim === null ? [claimed(`w${n}`)] : null)),
      ),
    );
    expect(outcomes.filter((errand) => errand === null)).toHaveLength(1);
  });

  it("cleans what is written, from the first event on", async () => {
    const root = tempFolder();
    const clean = (event: ErrandEvent): ErrandEvent =>
      event.type === "errand-created"
        ? { ...event, text: event.text.replaceAll("s3cret", "[redacted]") }
        : event;
    const { book } = openBook(root, clean);
    await book.create(ERRAND, [errandCreated(ERRAND, { text: "why s3cret?" })]);
    expect((await openBook(root).book.get(ERRAND)).text).toBe("why [redacted]?");
  });

  it("is begun by one of several", async () => {
    const root = tempFolder();
    const begun = await Promise.all(
      [1, 2, 3].map(() => openBook(root).book.create(ERRAND, [errandCreated(ERRAND)])),
    );
    expect(begun.filter((errand) => errand !== null)).toHaveLength(1);
  });

  it("says that there is no such errand", async () => {
    const { book } = openBook(tempFolder());
    expect(await book.load("nothing-here")).toBeNull();
    await expect(book.get("nothing-here")).rejects.toThrow("There is no errand nothing-here.");
  });

  it("says what to do about a ledger that can't be read", async () => {
    const root = tempFolder();
    const { book, store } = openBook(root);
    await book.create(ERRAND, [errandCreated(ERRAND)]);
    await expect(store.load("../evil")).rejects.toMatchObject({
      message: '"../evil" is not the name of an errand.',
      next: "Names are lower-case letters, digits and dashes, at most 63 of them.",
    });
  });
});
