import type { ServerResponse } from "node:http";
import { messageOf } from "../core/errors.ts";
import { answerJson } from "./answer.ts";
import { withinTime } from "./within-time.ts";

/** The parts that Loom can't work without: the store, the queue. */
export type HealthReport = {
  readonly parts: readonly { readonly name: string; readonly problem: string | null }[];
};

const HEALTH_MS = 2_000;

/** Ready when every part is. Asks for what is behind the process, unlike /healthz, so that a store that is down does not get the process restarted. */
export async function answerHealth(
  response: ServerResponse,
  health: () => Promise<HealthReport>,
): Promise<void> {
  const { parts } = await withinTime(HEALTH_MS, "the health check", health).catch((error) => ({
    parts: [{ name: "health", problem: messageOf(error) }],
  }));
  const ready = parts.every((part) => part.problem === null);
  const told = Object.fromEntries(parts.map((part) => [part.name, part.problem ?? "ok"]));
  answerJson(response, ready ? 200 : 503, { ready, parts: told });
}
