import type { SessionId } from "../core/ids.ts";
import type { Claim } from "./claim.ts";
import type { Engine } from "./engine.ts";
import { timestamp } from "./engine.ts";

const BEAT_MS = 1_000;

type News = { readonly activity?: string; readonly tool?: string; readonly contextPercent?: number };

/** Output, tools and tokens are signs of life. At most one write a second; a lost beat only makes the table a little older. */
export function createHeartbeat(engine: Engine, claim: Claim, session: SessionId) {
  let last = 0;
  let activity: string | null = null;
  let lastTool: string | null = null;
  let contextPercent: number | null = null;
  return (news: News): void => {
    activity = news.activity ?? activity;
    lastTool = news.tool ?? lastTool;
    contextPercent = news.contextPercent ?? contextPercent;
    const now = engine.now();
    if (news.activity === undefined && now - last < BEAT_MS) return;
    last = now;
    const { stage, attempt } = claim;
    const beat = { stage, attempt, session, at: timestamp(engine), activity, lastTool, contextPercent };
    engine.files.writeHeartbeat(claim.run, beat).catch(() => {});
  };
}
