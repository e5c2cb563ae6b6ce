import { describe, expect, it } from "vitest";
import { createEmbeddedTaskStore } from "../../../src/adapters/embedded/task-store.ts";
import type { TaskEvent } from "../../../src/core/task/task-events.ts";
import { createTaskBook } from "../../../src/engine/task/task-book.ts";
import { taskCreated } from "../../contract/sample-events.ts";
import { tempFolder } from "../../support/git-repo.ts";

const TASK = "ask-1";
const AT = "2031-05-06T07:08:09.000Z";
const claimed = (claim: string): TaskEvent => ({ type: "task-claimed", at: AT, claim });

function openBook(root: string, clean?: (event: TaskEvent) => TaskEvent) {
  const shown: string[] = [];
  const store = createEmbeddedTaskStore({ root });
  const book = createTaskBook(store, clean, (event, task) => shown.push(`${event.type} v${task.version}`));
  return { book, store, shown };
}

describe("the book of tasks", () => {
  it("shows every event once, whoever wrote it", async () => {
    const root = tempFolder();
    const [mine, theirs] = [openBook(root), openBook(root)];
    await mine.book.create(TASK, [taskCreated(TASK)]);
    await theirs.book.write(TASK, () => [claimed("them")]);
    expect((await mine.book.get(TASK)).claim).toBe("them");
    expect(mine.shown).toEqual(["task-created v1", "task-claimed v2"]);
    expect(theirs.shown).toEqual(["task-created v1", "task-claimed v2"]);
  });

  it("lets one of two workers claim that saw nobody's claim", async () => {
    const root = tempFolder();
    const books = [openBook(root).book, openBook(root).book];
    await books[0]?.create(TASK, [taskCreated(TASK)]);
    const outcomes = await Promise.all(
      books.map((book, n) => book.write(TASK, (task) => (task.claim === null ? [claimed(`w${n}`)] : null))),
    );
    expect(outcomes.filter((task) => task === null)).toHaveLength(1);
  });

  it("cleans what is written, from the first event on", async () => {
    const root = tempFolder();
    const clean = (event: TaskEvent): TaskEvent =>
      event.type === "task-created"
        ? { ...event, text: event.text.replaceAll("s3cret", "[redacted]") }
        : event;
    const { book } = openBook(root, clean);
    await book.create(TASK, [taskCreated(TASK, { text: "why s3cret?" })]);
    expect((await openBook(root).book.get(TASK)).text).toBe("why [redacted]?");
  });

  it("is begun by one of several", async () => {
    const root = tempFolder();
    const begun = await Promise.all(
      [1, 2, 3].map(() => openBook(root).book.create(TASK, [taskCreated(TASK)])),
    );
    expect(begun.filter((task) => task !== null)).toHaveLength(1);
  });

  it("says that there is no such task", async () => {
    const { book } = openBook(tempFolder());
    expect(await book.load("nothing-here")).toBeNull();
    await expect(book.get("nothing-here")).rejects.toThrow("There is no task nothing-here.");
  });

  it("says what to do about a ledger that can't be read", async () => {
    const root = tempFolder();
    const { book, store } = openBook(root);
    await book.create(TASK, [taskCreated(TASK)]);
    await expect(store.load("../evil")).rejects.toMatchObject({
      message: '"../evil" is not the name of a task.',
      next: "Names are lower-case letters, digits and dashes, at most 63 of them.",
    });
  });
});
