import { InternalError } from "../errors.ts";

export type SessionState = "spawning" | "running" | "paused" | "completed" | "crashed" | "context-exhausted";

const SESSION_MOVES: Readonly<Record<SessionState, readonly SessionState[]>> = {
  // A program that can't be started has crashed without ever running.
  spawning: ["running", "crashed"],
  running: ["completed", "crashed", "context-exhausted", "paused"],
  paused: ["running", "crashed"],
  completed: [],
  crashed: [],
  "context-exhausted": [],
};

export function moveSession(session: string, from: SessionState, to: SessionState): SessionState {
  if (!SESSION_MOVES[from].includes(to)) {
    throw new InternalError(`session ${session} can't move from ${from} to ${to}`);
  }
  return to;
}
