const PAUSE_MS = 5;

/**
 * Does what nobody waits for a few milliseconds later, all of it at once: at the end of an answer it would still keep the
 * next webhook of a burst waiting.
 */
export function createLater(): (work: () => void) => void {
  let waiting: (() => void)[] = [];
  const doAll = (): void => {
    const due = waiting;
    waiting = [];
    for (const work of due) work();
  };
  return (work) => {
    if (waiting.push(work) === 1) setTimeout(doAll, PAUSE_MS);
  };
}
