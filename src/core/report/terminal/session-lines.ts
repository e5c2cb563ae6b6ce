import type { Millis } from "../../ids.ts";
import { listSome } from "../../text/list-some.ts";

/** What Loom itself writes into the log of a session, between the lines of the agent. */
export const sessionLines = {
  started: (harness: string, model: string | null) =>
    `· ${harness} started${model ? `, model ${model}` : ""}`,
  activity: (text: string) => `· ${text}`,
  tool: (name: string, detail: string) => `→ ${name}${detail === "" ? "" : ` ${detail}`}`,
  toolFailed: (text: string) => `✗ ${text}`,
  compacted: () => "! the CLI shortened the conversation by itself, so the session hands over",
  retrying: (reason: string) => `tries again: ${reason}`,
  rateLimited: (resetsAt: Millis | null) =>
    `! the provider's limit is reached${resetsAt === null ? "" : ` until ${new Date(resetsAt).toISOString()}`}`,
  asks: (question: string) => `? ${question}`,
  denied: (host: string) => `✗ ${host} was asked for and is not allowed`,
  tooFast: (missed: number, all: number) =>
    `! the agent reported faster than Loom shows it: ${missed} of ${all} activity lines were left out`,
  restored: (paths: readonly string[]) =>
    `· put back to the base, for it configures agents: ${listSome(paths, 10)}`,
  context: (percent: number, budget: number, health: "yellow" | "red") =>
    health === "red"
      ? `${Math.round(percent)} % of the context is used, the budget is ${budget} %: it hands over`
      : `${Math.round(percent)} % of the context is used`,
};
