import { performance } from "node:perf_hooks";
import { setTimeout as delay, setImmediate as nextRound } from "node:timers/promises";

/** Does the work when all that was asked for before is done. */
export type InTurn = <Result>(work: () => Result) => Promise<Result>;

export type FairQueueOptions = {
  /** Work that takes longer is followed by a rest. */
  readonly freeMs: number;
  /** How many times as long as the work took. */
  readonly rest: number;
};

/**
 * Work that takes the time of Loom's only thread, one piece after the other. Between two of them all else that happened gets
 * its turn, and after a dear one whoever asks has to wait.
 */
export function createFairQueue({ freeMs, rest }: FairQueueOptions): InTurn {
  let turn: Promise<unknown> = Promise.resolve();
  return (work) => {
    let took = 0;
    const done = turn.then(() => {
      const began = performance.now();
      try {
        return work();
      } finally {
        took = performance.now() - began;
      }
    });
    const pause = () => (took > freeMs ? delay(rest * took, undefined, { ref: false }) : nextRound());
    turn = done.then(pause, pause);
    return done;
  };
}
