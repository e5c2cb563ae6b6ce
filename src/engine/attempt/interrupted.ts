/** The work was stopped from outside and says nothing about its worth: the attempt is not charged. */
export class Interrupted extends Error {
  constructor() {
    super("The work was interrupted.");
    this.name = "Interrupted";
  }
}

export function throwIfInterrupted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new Interrupted();
}
