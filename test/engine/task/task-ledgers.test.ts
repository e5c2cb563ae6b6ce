import { describe, expect, it } from "vitest";
import { createEmbeddedTaskStore } from "../../../src/adapters/embedded/task-store.ts";
import type { TaskEvent } from "../../../src/core/task/task-events.ts";
import { createTaskLedgers } from "../../../src/engine/task/task-ledgers.ts";
import { taskCreated } from "../../contract/sample-events.ts";
import { tempFolder } from "../../support/git-repo.ts";

const TASK = "ask-1";
const AT = "2031-05-06T07:08:09.000Z";
const claimed = (claim: string): TaskEvent => ({ type: "task-claimed", at: AT, claim });

function openLedgers(root: string, clean?: (event: TaskEvent) => TaskEvent) {
  const shown: string[] = [];
  const store = createEmbeddedTaskStore({ root });
  const ledgers = createTaskLedgers(store, clean, (event, task) =>
    shown.push(`${event.type} v${task.version}`),
  );
  return { ledgers, store, shown };
}

describe("the ledgers of tasks", () => {
  it("shows every event once, whoever wrote it", async () => {
    const root = tempFolder();
    const [mine, theirs] = [openLedgers(root), openLedgers(root)];
    await mine.ledgers.create(TASK, [taskCreated(TASK)]);
    await theirs.ledgers.write(TASK, () => [claimed("them")]);
    expect((await mine.ledgers.get(TASK)).claim).toBe("them");
    expect(mine.shown).toEqual(["task-created v1", "task-claimed v2"]);
    expect(theirs.shown).toEqual(["task-created v1", "task-claimed v2"]);
  });

  it("lets one of two workers claim that saw nobody's claim", async () => {
    const root = tempFolder();
    const both = [openLedgers(root).ledgers, openLedgers(root).ledgers];
    await both[0]?.create(TASK, [taskCreated(TASK)]);
    const outcomes = await Promise.all(
      both.map((ledgers, n) =>
        ledgers.write(TASK, (task) => (task.claim === null ? [claimed(`w${n}`)] : null)),
      ),
    );
    expect(outcomes.filter((task) => task === null)).toHaveLength(1);
  });

  it("cleans what is written, from the first event on", async () => {
    const root = tempFolder();
    const clean = (event: TaskEvent): TaskEvent =>
      event.type === "task-created"
        ? { ...event, text: event.text.replaceAll("s3cret", "[redacted]") }
        : event;
    const { ledgers } = openLedgers(root, clean);
    await ledgers.create(TASK, [taskCreated(TASK, { text: "why s3cret?" })]);
    expect((await openLedgers(root).ledgers.get(TASK)).text).toBe("why [redacted]?");
  });

  it("is begun by one of several", async () => {
    const root = tempFolder();
    const begun = await Promise.all(
      [1, 2, 3].map(() => openLedgers(root).ledgers.create(TASK, [taskCreated(TASK)])),
    );
    expect(begun.filter((task) => task !== null)).toHaveLength(1);
  });

  it("says that there is no such task", async () => {
    const { ledgers } = openLedgers(tempFolder());
    expect(await ledgers.load("nothing-here")).toBeNull();
    await expect(ledgers.get("nothing-here")).rejects.toThrow("There is no task nothing-here.");
  });

  it("says what to do about a ledger that can't be read", async () => {
    const root = tempFolder();
    const { ledgers, store } = openLedgers(root);
    await ledgers.create(TASK, [taskCreated(TASK)]);
    await expect(store.load("../evil")).rejects.toMatchObject({
      message: '"../evil" is not the name of a task.',
      next: "Names are lower-case letters, digits and dashes, at most 63 of them.",
    });
  });
});
