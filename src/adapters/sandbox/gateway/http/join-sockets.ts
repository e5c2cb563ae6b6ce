import type { Socket } from "node:net";

/**
 * Joins two half-open connections into one: each end is handed on by itself, so that a program can say all it has and still
 * hear the answer. Pipes hold back a fast side, so nothing piles up here. A break on one side breaks the other.
 */
export function joinSockets(one: Socket, other: Socket, idleMs: number): void {
  one.pipe(other);
  other.pipe(one);
  for (const [side, far] of [
    [one, other],
    [other, one],
  ] as const) {
    side.on("error", () => far.destroy());
    side.on("close", () => {
      // Closed in peace, the rest of what it said is still on its way out.
      if (!side.readableEnded || !side.writableFinished) far.destroy();
    });
    side.setTimeout(idleMs, () => side.destroy());
  }
}
