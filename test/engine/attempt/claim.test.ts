import { describe, expect, it } from "vitest";
import { createEmbeddedRunStore } from "../../../src/adapters/embedded/run-store.ts";
import {
  assertHeld,
  type Claim,
  Superseded,
  watchClaim,
  writeHeld,
  writeIntent,
} from "../../../src/engine/attempt/claim.ts";
import { Interrupted } from "../../../src/engine/attempt/interrupted.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import { createRunLedgers } from "../../../src/engine/run/run-ledgers.ts";
import { aRun, failure, shaOf } from "../../support/a-run.ts";
import { tempFolder } from "../../support/git-repo.ts";

const RUN = "r-1";
const AT = "2026-01-31T12:00:00.000Z";
const STAGES = [{ id: "a" }, { id: "vital", critical: true }, { id: "b" }];
const CLAIM: Claim = { run: RUN, stage: "a", attempt: 1, token: "c1" };
const INTENT = { type: "merge-started", commit: shaOf("a-1"), onto: shaOf("base") } as const;

type Part = Pick<Engine, "store" | "runs" | "now">;

/** An engine as far as claims go, on a folder that others may share. */
function openEngine(root: string): Engine {
  const store = createEmbeddedRunStore({ root });
  const part: Part = { store, runs: createRunLedgers(store, () => {}), now: Date.now };
  return part as Engine;
}

/** A run with an attempt that is ours, and a second process that looks at the same ledger. */
async function twoEngines() {
  const root = tempFolder();
  const [mine, theirs] = [openEngine(root), openEngine(root)];
  await mine.runs.create(RUN, aRun(STAGES, { run: RUN }).starts("a").events);
  return { mine, theirs };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  signal.aborted
    ? Promise.resolve()
    : new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
const cancel = ({ runs }: Engine) => runs.write(RUN, () => [{ type: "cancel-requested", at: AT, by: "sam" }]);
const interrupt = ({ runs }: Engine) =>
  runs.write(RUN, () => [{ type: "attempt-interrupted", at: AT, stage: "a", attempt: 1, reason: "died" }]);

describe("whoever holds an attempt", () => {
  it("is told of a cancel by another process", async () => {
    const { mine, theirs } = await twoEngines();
    const watch = watchClaim(mine, CLAIM, new AbortController().signal);
    await cancel(theirs);
    await aborted(watch.signal);
    watch.close();
  });

  it("is told of a cancel that came before it began to watch", async () => {
    const { mine, theirs } = await twoEngines();
    await cancel(theirs);
    const watch = watchClaim(mine, CLAIM, new AbortController().signal);
    await aborted(watch.signal);
    watch.close();
  });

  it("is told when somebody else took the attempt, and when a critical stage is blocked", async () => {
    const one = await twoEngines();
    const first = watchClaim(one.mine, CLAIM, new AbortController().signal);
    await interrupt(one.theirs);
    await aborted(first.signal);
    first.close();

    const two = await twoEngines();
    const second = watchClaim(two.mine, CLAIM, new AbortController().signal);
    await two.theirs.runs.write(RUN, () => [
      { type: "stage-blocked", at: AT, stage: "vital", failure: failure("checks-failed", "It failed.") },
    ]);
    await aborted(second.signal);
    second.close();
  });

  it("is not disturbed by what happens to other stages", async () => {
    const { mine, theirs } = await twoEngines();
    const looks: Promise<unknown>[] = [];
    const { runs } = mine;
    const counted: Engine = {
      ...mine,
      runs: {
        ...runs,
        load: (run) => {
          const loaded = runs.load(run);
          looks.push(loaded);
          return loaded;
        },
      },
    };
    const watch = watchClaim(counted, CLAIM, new AbortController().signal);
    await theirs.runs.write(RUN, () => [
      { type: "stage-blocked", at: AT, stage: "b", failure: failure("checks-failed", "It failed.") },
    ]);
    await expect.poll(() => looks.length).toBeGreaterThan(1);
    await Promise.all(looks);
    expect(watch.signal.aborted).toBe(false);
    watch.close();
  });

  it("stops when its process is asked to", async () => {
    const { mine } = await twoEngines();
    const stop = new AbortController();
    const watch = watchClaim(mine, CLAIM, stop.signal);
    stop.abort();
    expect(watch.signal.aborted).toBe(true);
    watch.close();
    const late = watchClaim(mine, CLAIM, stop.signal);
    expect(late.signal.aborted).toBe(true);
    late.close();
  });
});

describe("a claim", () => {
  it("lets its holder write, and nobody else", async () => {
    const { mine, theirs } = await twoEngines();
    await writeHeld(mine, CLAIM, { type: "work-kept", commit: shaOf("k"), base: shaOf("base") });
    for (const wrong of [
      { ...CLAIM, token: "c2" },
      { ...CLAIM, attempt: 2 },
    ]) {
      await expect(assertHeld(theirs, wrong)).rejects.toThrow(Superseded);
      await expect(
        writeHeld(theirs, wrong, { type: "attempt-interrupted", reason: "stopped" }),
      ).rejects.toThrow(Superseded);
    }
    await interrupt(theirs);
    const { version } = await mine.runs.get(RUN);
    await expect(writeHeld(mine, CLAIM, INTENT)).rejects.toThrow(Superseded);
    await expect(writeIntent(mine, CLAIM, INTENT)).rejects.toThrow(Superseded);
    expect((await mine.runs.get(RUN)).version).toBe(version);
  });

  it("announces nothing behind a cancel, though it may still say how it ended", async () => {
    const { mine, theirs } = await twoEngines();
    await cancel(theirs);
    await expect(writeIntent(mine, CLAIM, INTENT)).rejects.toThrow(Interrupted);
    const record = await writeHeld(mine, CLAIM, { type: "attempt-interrupted", reason: "stopped" });
    expect(record).toMatchObject({ merging: null, state: { kind: "needs-handoff" } });
  });
});
