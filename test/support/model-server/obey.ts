import type { SeenRequest } from "./seen-request.ts";
import type { Step, StepUsage } from "./step.ts";

const BLOCK = /^ {0,3}```(?:sh|bash|shell)[^\n]*\n([\s\S]*?)^ {0,3}```/gm;

/**
 * The agent that believes whatever it reads: each shell block in what people, files and commands have told it since its
 * last turn is run. Once nothing new tells it to do anything, it says that it is done.
 */
export function obey(request: SeenRequest, usage: StepUsage | undefined): Step {
  const used = usage === undefined ? {} : { usage };
  const commands = [...request.news.matchAll(BLOCK)].map((match) => (match[1] ?? "").trim());
  const orders = commands.filter((command) => command !== "");
  if (orders.length === 0) return { say: "Done.", ...used };
  return { say: "I do as I was told.", tools: orders.map((shell) => ({ shell })), ...used };
}
