import { addUsage, addUsageOf, agentName } from "../../budget/usage.ts";
import { moveSession, type SessionState } from "../../session/session-state.ts";
import type { SessionRecord, StageRecord } from "../run.ts";
import type { StageEvent } from "../stage-events.ts";

type SessionEvent = Extract<StageEvent, { type: "session-started" | "session-ended" | "small-model-used" }>;

type Used = Pick<StageRecord, "session" | "usage" | "usageBy">;

/** What an agent's process, or a question to the small model, changes about a stage. */
export function evolveSession(record: StageRecord, event: SessionEvent): Partial<Used> {
  switch (event.type) {
    case "session-started":
      return {
        session: {
          id: event.session,
          harness: event.harness,
          model: event.model ?? null,
          context: null,
          marker: event.marker,
          tree: event.tree,
          startedAt: event.at,
          state: moveSession(event.session, "spawning", "running"),
        },
      };
    case "session-ended": {
      const session = record.session && {
        ...endSession(record.session, event.state),
        model: record.session.model ?? event.model ?? null,
        context: event.context ?? null,
      };
      return {
        session,
        usage: addUsage(record.usage, event.usage),
        usageBy: session ? addUsageOf(record.usageBy, agentName(session), event.usage) : record.usageBy,
      };
    }
    case "small-model-used":
      return {
        usage: addUsage(record.usage, event.usage),
        usageBy: addUsageOf(record.usageBy, agentName(event), event.usage),
      };
  }
}

function endSession(session: SessionRecord, state: SessionState): SessionRecord {
  return { ...session, state: moveSession(session.id, session.state, state) };
}

/** Whatever became of its process, a session does not outlive its attempt. */
export function closedSession(session: SessionRecord | null): SessionRecord | null {
  return session?.state === "running" ? endSession(session, "crashed") : session;
}
