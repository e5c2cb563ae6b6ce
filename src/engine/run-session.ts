import { addUsage } from "../core/budget/usage.ts";
import { messageOf } from "../core/errors.ts";
import type { SessionId } from "../core/ids.ts";
import type { Usage } from "../core/run/events.ts";
import type { Harness, HarnessSession, SessionEnd, SessionSpec } from "../ports/harness.ts";
import type { LogWriter } from "../ports/run-files.ts";
import type { Claim } from "./claim.ts";
import type { Engine } from "./engine.ts";
import { timestamp } from "./engine.ts";

/**
 * One agent process from start to end, under two separate guards: the stall window, which any sign of life pushes
 * back, and the ceiling, which nothing does. Crashed, hung and finished are told apart by what ended the session, never
 * by what it said.
 */
export type SessionRequest = {
  readonly claim: Claim;
  readonly harness: Harness;
  readonly session: SessionId;
  readonly marker: string;
  readonly tree: string;
  readonly signal: string;
  readonly model: string | null;
  readonly effort: string | null;
  readonly ceilingSecs: number;
  /** 0 turns the stall guard off. */
  readonly stallSecs: number;
  readonly abort: AbortSignal;
};

export type SessionResult = {
  readonly outcome: SessionOutcome;
  readonly usage: Usage | null;
  readonly durationMs: number;
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
  /** The end of what it wrote. */
  readonly tail: string;
};

export type SessionOutcome =
  | { readonly kind: "finished" }
  | { readonly kind: "asked"; readonly question: string }
  | { readonly kind: "failed"; readonly code: number }
  | { readonly kind: "transient"; readonly reason: string }
  | { readonly kind: "crashed"; readonly signal: string }
  | { readonly kind: "stalled" }
  | { readonly kind: "timed-out" }
  | { readonly kind: "aborted" }
  | { readonly kind: "not-started"; readonly reason: string };

/** Time between asking an agent to end and ending it. */
const GRACE_MS = 5_000;
const TAIL_LINES = 60;
const TAIL_LINE_CHARS = 500;
const BEAT_MS = 1_000;

type EndedBy = "stalled" | "timed-out" | "aborted";

export async function runSession(engine: Engine, request: SessionRequest): Promise<SessionResult> {
  const { claim, session } = request;
  const spec: SessionSpec = {
    run: claim.run,
    stage: claim.stage,
    attempt: claim.attempt,
    session,
    marker: request.marker,
    tree: request.tree,
    signal: request.signal,
    signalFile: await engine.files.writeSignal(claim.run, session, request.signal),
    model: request.model,
    effort: request.effort,
  };
  const log = engine.files.openLog(claim.run, claim.stage, claim.attempt);
  try {
    const running = request.harness.start(spec);
    try {
      return await attend(engine, request, running, log);
    } catch (error) {
      // Nobody listens any more, and the tree is about to be lent to somebody else.
      await running.stop(0).catch(() => {});
      throw error;
    }
  } finally {
    // The work counts, not what was said about it: a full disk must not throw it away.
    await log.close().catch((error: unknown) => {
      engine.feed({ kind: "notice", run: claim.run, text: messageOf(error) });
    });
  }
}

/** Follows the agent to its end. */
async function attend(
  engine: Engine,
  request: SessionRequest,
  running: HarnessSession,
  log: LogWriter,
): Promise<SessionResult> {
  const { claim, session } = request;
  const started = engine.now();
  const watchdog = createWatchdog(request, () => running.stop(GRACE_MS));
  const beat = createHeartbeat(engine, claim, session);
  const tail: string[] = [];
  let usage: Usage | null = null;
  let question: string | null = null;
  beat(null);
  try {
    for await (const event of running.events) {
      watchdog.touch();
      switch (event.kind) {
        case "output":
          log.write(event.text);
          tail.push(event.text.slice(0, TAIL_LINE_CHARS));
          if (tail.length > TAIL_LINES) tail.shift();
          beat(null);
          break;
        case "activity":
          log.write(`· ${event.text}`);
          engine.feed({
            kind: "activity",
            run: claim.run,
            stage: claim.stage,
            attempt: claim.attempt,
            at: timestamp(engine),
            text: event.text,
          });
          beat(event.text);
          break;
        case "usage":
          usage = addUsage(usage, event.usage);
          beat(null);
          break;
        case "ask":
          log.write(`? ${event.question}`);
          question = event.question;
          break;
      }
    }
    const end = await running.end;
    await watchdog.settled();
    const { exit } = end;
    return {
      outcome: outcomeOf(watchdog.endedBy(), end, question),
      usage,
      durationMs: engine.now() - started,
      exitCode: exit.kind === "exited" ? exit.code : null,
      exitSignal: exit.kind === "signalled" ? exit.signal : null,
      tail: tail.join("\n"),
    };
  } finally {
    watchdog.close();
  }
}

function outcomeOf(endedBy: EndedBy | null, end: SessionEnd, question: string | null): SessionOutcome {
  if (end.exit.kind === "not-started") return { kind: "not-started", reason: end.exit.reason };
  if (endedBy) return { kind: endedBy };
  if (end.transient !== null) return { kind: "transient", reason: end.transient };
  if (end.exit.kind === "signalled") return { kind: "crashed", signal: end.exit.signal };
  if (end.exit.code !== 0) return { kind: "failed", code: end.exit.code };
  return question === null ? { kind: "finished" } : { kind: "asked", question };
}

function createWatchdog(request: SessionRequest, stop: () => Promise<void>) {
  let endedBy: EndedBy | null = null;
  let stopping: Promise<void> | null = null;
  const end = (by: EndedBy): void => {
    if (endedBy) return;
    endedBy = by;
    stopping = stop();
    // The rejection is looked at in settled(); until then it must not count as unhandled.
    stopping.catch(() => {});
  };
  const onAbort = (): void => end("aborted");
  if (request.abort.aborted) onAbort();
  else request.abort.addEventListener("abort", onAbort, { once: true });
  const ceiling = setTimeout(() => end("timed-out"), Math.min(request.ceilingSecs * 1000, 2 ** 31 - 1));
  const stall =
    request.stallSecs > 0
      ? setTimeout(() => end("stalled"), Math.min(request.stallSecs * 1000, 2 ** 31 - 1))
      : null;
  return {
    touch: () => stall?.refresh(),
    endedBy: () => endedBy,
    settled: async () => {
      await stopping;
    },
    close: () => {
      clearTimeout(ceiling);
      if (stall) clearTimeout(stall);
      request.abort.removeEventListener("abort", onAbort);
    },
  };
}

/** At most one write a second; a lost beat only makes the table a little older. */
function createHeartbeat(engine: Engine, claim: Claim, session: SessionId) {
  let last = 0;
  let activity: string | null = null;
  return (text: string | null): void => {
    activity = text ?? activity;
    const now = engine.now();
    if (text === null && now - last < BEAT_MS) return;
    last = now;
    const beat = { stage: claim.stage, attempt: claim.attempt, session, at: timestamp(engine), activity };
    engine.files.writeHeartbeat(claim.run, beat).catch(() => {});
  };
}
