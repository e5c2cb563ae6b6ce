import { chargeOf } from "../../core/budget/charge.ts";
import { addUsage, type Usage } from "../../core/budget/usage.ts";
import type { Judge } from "../../core/policy/judgement.ts";
import { policyTexts } from "../../core/policy/policy-texts.ts";
import { auditTexts } from "../../core/report/audit/audit-texts.ts";
import { sessionLines } from "../../core/report/terminal/session-lines.ts";
import type { AgentFailure } from "../../core/session/agent-failure.ts";
import type { SessionNote } from "../../core/session/compose-hand-off.ts";
import { type ContextHealth, contextHealth, redPercent } from "../../core/session/context-health.ts";
import type { Harness, HarnessEvent, HarnessSession, SessionEnd } from "../../ports/harness.ts";
import type { LogWriter } from "../../ports/run-files.ts";
import type { Engine } from "../engine.ts";
import { createSessionOutlets } from "./session-outlets.ts";
import type { SessionOutcome, SessionRequest, SessionResult } from "./session-types.ts";
import { createWatchdog, type EndedBy } from "./session-watchdog.ts";

/** Time between asking an agent to end and ending it. */
const GRACE_MS = 5_000;
const TAIL_LINES = 60;
const TAIL_LINE_CHARS = 500;
const NOTES = 60;
const NOTE_CHARS = 1_000;

/** Listens to one session: writes its log, notices what it uses, and ends it when it has to end. */
export function createSessionWatch(engine: Engine, request: SessionRequest, writer: LogWriter) {
  const started = engine.now();
  const outlets = createSessionOutlets(engine, request, writer);
  const { log, show, beat } = outlets;
  const tail: string[] = [];
  const notes: SessionNote[] = [];
  let stop: () => Promise<void> = async () => {};
  let usage: Usage | null = null;
  let question: string | null = null;
  let context: SessionResult["context"] = null;
  let health: ContextHealth = "green";
  let model: string | null = request.model;
  let usedTools = false;
  const watchdog = createWatchdog(request, () => stop());

  const keep = <T>(list: T[], most: number, item: T): void => {
    list.push(item);
    if (list.length > most) list.shift();
  };
  const write = (line: string): void => {
    log(line);
    keep(tail, TAIL_LINES, ownCopy(line, TAIL_LINE_CHARS));
  };
  const remember = (kind: SessionNote["kind"], text: string): void =>
    keep(notes, NOTES, { kind, text: ownCopy(text, NOTE_CHARS) });

  const handle = (event: HarnessEvent): void => {
    switch (event.kind) {
      case "started":
        model = event.model ?? model;
        log(sessionLines.started(request.harness.id, event.model));
        break;
      case "output":
        write(event.text);
        break;
      case "text":
        write(event.text);
        remember("text", event.text);
        break;
      case "activity":
        log(sessionLines.activity(event.text));
        show(event.text);
        break;
      case "tool": {
        const line = sessionLines.tool(event.name, event.detail);
        usedTools = true;
        log(line);
        remember("tool", `${event.name} ${event.detail}`);
        beat({ tool: event.name });
        show(event.detail === "" ? event.name : `${event.name} ${event.detail}`);
        break;
      }
      case "tool-result":
        if (!event.ok) write(sessionLines.toolFailed(event.text));
        break;
      case "usage":
        usage = addUsage(usage, event.usage);
        if (usage) outlets.spend(usage);
        if (request.budgetUsd !== undefined && spentBy(request.harness, usage) > request.budgetUsd)
          watchdog.end("spent");
        break;
      case "context":
        context = { used: event.used, window: event.window };
        checkContext(event.used / event.window);
        break;
      case "compacted":
        log(sessionLines.compacted());
        watchdog.end("exhausted");
        break;
      case "retrying":
        log(sessionLines.retrying(event.reason));
        show(sessionLines.retrying(event.reason));
        break;
      case "rate-limit":
        log(sessionLines.rateLimited(event.resetsAt));
        break;
      case "ask":
        log(sessionLines.asks(event.question));
        question = event.question;
        break;
    }
    beat({});
  };

  const checkContext = (share: number): void => {
    const percent = share * 100;
    beat({ contextPercent: Math.round(percent) });
    const { contextBudget } = request;
    if (contextBudget === null) return;
    const now = contextHealth(percent, contextBudget);
    if (now === health) return;
    health = now;
    if (now === "green") return;
    const line = sessionLines.context(percent, redPercent(contextBudget), now);
    log(line);
    show(line);
    if (now === "red") watchdog.end("exhausted");
  };

  return {
    /** The same judge, but for people finding in the log what it said. */
    judge:
      (judge: Judge): Judge =>
      (call) => {
        const judgement = judge(call);
        watchdog.touch();
        if (judgement.kind !== "allow") log(policyTexts.logged(call, judgement));
        if (judgement.kind === "deny") {
          const { run, stage } = request.claim;
          const what = auditTexts.toolCall(call.tool, call.command, judgement.reason);
          engine.audit.refused({ boundary: "policy", rule: "command", run, stage, who: "agent", what });
        }
        if (judgement.kind === "ask") {
          question = judgement.question;
          watchdog.end("asked");
        }
        return judgement;
      },

    async attend(running: HarnessSession): Promise<SessionResult> {
      stop = () => running.stop(GRACE_MS);
      // What was asked before there was anything to stop.
      if (watchdog.endedBy()) running.stop(GRACE_MS).catch(() => {});
      beat({});
      try {
        for await (const event of running.events) {
          watchdog.touch();
          handle(event);
        }
        const end = await running.end;
        await watchdog.settled();
        const { exit } = end;
        for (const host of end.deniedHosts) log(sessionLines.denied(host));
        return {
          session: request.session,
          outcome: outcomeOf(watchdog.endedBy(), end, question),
          usage,
          context,
          model,
          durationMs: engine.now() - started,
          exitCode: exit.kind === "exited" ? exit.code : null,
          exitSignal: exit.kind === "signalled" ? exit.signal : null,
          deniedHosts: end.deniedHosts,
          resume: end.resume,
          text: end.text,
          notes,
          usedTools,
          tail: tail.join("\n"),
        };
      } finally {
        watchdog.close();
        await outlets.close().catch(() => {});
      }
    },
  };
}

/** A piece of a string keeps all of that string in memory; sixty pieces of lines of 16 MB would keep a gigabyte. */
function ownCopy(text: string, most: number): string {
  return Buffer.from(text.slice(0, most), "utf16le").toString("utf16le");
}

function outcomeOf(endedBy: EndedBy | null, end: SessionEnd, question: string | null): SessionOutcome {
  const { exit, failure } = end;
  if (exit.kind === "not-started") return { kind: "not-started", reason: exit.reason };
  const cameToItsEnd = failure === null && exit.kind === "exited" && exit.code === 0;
  // The last step of a session may be the one that takes it over its budget.
  if (endedBy === "exhausted" && !cameToItsEnd) return { kind: "exhausted", overflow: false };
  if (endedBy === "spent" && !cameToItsEnd) return { kind: "failed", code: codeOf(exit), failure: SPENT };
  if (endedBy === "asked" && question !== null) return { kind: "asked", question };
  if (endedBy === "stalled" || endedBy === "timed-out" || endedBy === "aborted") return { kind: endedBy };
  if (failure?.kind === "context") return { kind: "exhausted", overflow: true };
  if (failure && failure.kind !== "cut-off" && failure.kind !== "unknown")
    return { kind: "failed", code: codeOf(exit), failure };
  if (exit.kind === "signalled") return { kind: "crashed", signal: exit.signal };
  if (failure || exit.code !== 0) return { kind: "failed", code: exit.code, failure };
  return question === null ? { kind: "finished" } : { kind: "asked", question };
}

/** What keeps its budget by itself knows better what its tokens cost than anybody who counts them. */
function spentBy({ keepsBudget = false }: Harness, usage: Usage | null): number {
  return keepsBudget ? (usage?.costUsd ?? 0) : chargeOf(usage);
}

const SPENT: AgentFailure = { kind: "turns", message: "It has spent what it may.", resetsAt: null };

function codeOf(exit: SessionEnd["exit"]): number {
  return exit.kind === "exited" ? exit.code : 1;
}
