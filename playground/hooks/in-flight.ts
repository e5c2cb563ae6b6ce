/** Work that goes on by itself: somebody can wait until none is left, and hears then what went wrong. */
export type InFlight = {
  add(work: Promise<unknown>): void;
  /** Something is wrong that does not stop the work. */
  report(problem: unknown): void;
  whenNone(): Promise<void>;
  /** What was reported since the last time. */
  takeProblems(): unknown[];
};

export function createInFlight(): InFlight {
  const problems: unknown[] = [];
  let count = 0;
  let waiting: (() => void)[] = [];
  const finish = (): void => {
    count -= 1;
    if (count > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  return {
    add(work) {
      count += 1;
      work.catch((error: unknown) => problems.push(error)).finally(finish);
    },
    report: (problem) => problems.push(problem),
    async whenNone() {
      if (count > 0) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    takeProblems: () => problems.splice(0),
  };
}
