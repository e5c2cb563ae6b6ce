import type { Usage } from "../../core/budget/usage.ts";
import { sessionLines } from "../../core/report/terminal/session-lines.ts";
import type { Heartbeat, LogWriter } from "../../ports/run-files.ts";
import { type Engine, timestamp } from "../engine.ts";
import { createNewestOnly, type Rate } from "../run/newest-only.ts";
import type { SessionRequest } from "./session-types.ts";

/** What the table and the state of a session show of it. */
export type Beat = { readonly activity?: string; readonly tool?: string; readonly contextPercent?: number };

export type SessionOutlets = {
  /** A line for the log, which holds so many bytes and counts the rest. */
  log(line: string): void;
  /** What the agent is doing, for onlookers. */
  show(text: string): void;
  /** A sign of life. */
  beat(news: Beat): void;
  /** The sum so far. */
  spend(usage: Usage): void;
  /** The session is over: what still waits goes out, and what came too fast is told. */
  close(): Promise<void>;
};

/** An agent at work does a few things a second; nobody can read more. */
const SHOWN: Rate = { burst: 20, everyMs: 100 };
/** A lost beat only makes the table a little older. */
const BEATS: Rate = { burst: 3, everyMs: 1_000 };
const SUMS: Rate = { burst: 5, everyMs: 1_000 };
/** So many activities that nobody saw are no accident. */
const FLOOD = 1_000;

/**
 * All ways by which what an agent does leaves a session: log, screen, heartbeat file, ledger. An agent can print 300,000
 * lines in a second, and each must cost next to nothing here. Each way has its bound, whatever kind of event led to it, so
 * a new kind can't be told without one. `engine.feed` and `writeHeartbeat` are called for sessions in this file alone.
 */
export function createSessionOutlets(
  engine: Engine,
  { claim, session, onUsage }: Pick<SessionRequest, "claim" | "session" | "onUsage">,
  log: LogWriter,
): SessionOutlets {
  const { run, stage, attempt } = claim;
  let activity: string | null = null;
  let lastTool: string | null = null;
  let contextPercent: number | null = null;
  let shown = 0;

  const feed = createNewestOnly(
    (text: string) => engine.feed({ kind: "activity", run, stage, attempt, at: timestamp(engine), text }),
    SHOWN,
  );
  const beats = createNewestOnly((state: Omit<Heartbeat, "stage" | "attempt" | "session" | "at">) => {
    const beat = { stage, attempt, session, at: timestamp(engine), ...state };
    return engine.files.writeHeartbeat(run, beat);
  }, BEATS);
  const sums = createNewestOnly((usage: Usage) => onUsage?.(usage), SUMS);

  const beat = (news: Beat): void => {
    activity = news.activity ?? activity;
    lastTool = news.tool ?? lastTool;
    contextPercent = news.contextPercent ?? contextPercent;
    beats.offer({ activity, lastTool, contextPercent });
  };

  return {
    log: (line) => log.write(line),
    show(text) {
      shown += 1;
      feed.offer(text);
      beat({ activity: text });
    },
    beat,
    spend: sums.offer,
    async close() {
      await feed.settle();
      await sums.settle();
      await beats.settle();
      const missed = feed.dropped();
      if (missed === 0) return;
      const text = sessionLines.tooFast(missed, shown);
      log.write(text);
      if (missed >= FLOOD) engine.feed({ kind: "notice", run, text: `${stage}: ${text}` });
    },
  };
}
