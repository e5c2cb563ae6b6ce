import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Inbox, Intake } from "../../src/ports/inbox.ts";
import type { JobQueue } from "../../src/ports/job-queue.ts";
import { comment } from "./inbox.contract.ts";

export type IntakeUnderTest = {
  readonly intake: Intake;
  /** The same as another process has it. */
  readonly other: Intake;
  readonly inbox: Inbox;
  readonly queue: JobQueue;
  dispose(): Promise<void>;
};

/** What every intake promises to those who bring deliveries, and to those who act on them. */
export function describeIntake(name: string, makeIntake: () => Promise<IntakeUnderTest>): void {
  describe(`${name} intake`, () => {
    let world: IntakeUnderTest;
    let taken: string[];

    beforeEach(async () => {
      world = await makeIntake();
      taken = [];
    });
    afterEach(() => world.dispose());

    /** Notes the words of each delivery, and that one had none. */
    function actOnDeliveries(): void {
      const { inbox, queue } = world;
      queue.process(
        async (job) => {
          if (job.kind !== "delivery") throw new Error(`a job of kind ${job.kind}`);
          const delivery = await inbox.get(job.delivery);
          taken.push(delivery?.kind === "comment" ? delivery.body : "nothing");
          await inbox.done(job.delivery);
        },
        { concurrency: { delivery: 1 }, attempts: 1, onGivenUp: async () => {} },
      );
    }

    it("hands over what it took, in the order in which it came", async () => {
      actOnDeliveries();
      for (const id of ["c", "a", "d", "b"]) expect(await world.intake.take(id, comment(id))).toBe("new");
      await world.queue.idle();
      expect(taken).toEqual(["c", "a", "d", "b"]);
    });

    it("hands over what came before anybody acted on it, however much that is", async () => {
      const ids = Array.from({ length: 250 }, (_, n) => `d${n}`);
      await Promise.all(ids.map((id) => world.intake.take(id, comment(id))));
      actOnDeliveries();
      await world.queue.idle();
      expect(taken.sort()).toEqual([...ids].sort());
    });

    it("makes one effect of twenty concurrent duplicates", async () => {
      actOnDeliveries();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => (n % 2 ? world.intake : world.other).take("d1", comment("x"))),
      );
      expect(answers.filter((answer) => answer === "new")).toHaveLength(1);
      await world.queue.idle();
      expect(taken.filter((words) => words !== "nothing")).toEqual(["x"]);
    });

    it("announces one that waits once more, and one that is done no more", async () => {
      await world.inbox.put("d1", comment("kept by somebody who died"));
      expect(await world.intake.take("d1", comment("again"))).toBe("waiting");
      actOnDeliveries();
      await world.queue.idle();
      expect(taken).toEqual(["kept by somebody who died"]);
      expect(await world.intake.take("d1", comment("again"))).toBe("done");
      await world.queue.idle();
      expect(taken).toHaveLength(1);
    });
  });
}
