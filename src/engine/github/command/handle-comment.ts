import type { Command, ReadCommand } from "../../../core/command/command.ts";
import { mayUse } from "../../../core/command/commands.ts";
import { splitLines } from "../../../core/command/find-command-lines.ts";
import { parseCommands, withWordsAbove } from "../../../core/command/parse-commands.ts";
import { needsPerson } from "../../../core/errors.ts";
import { auditTexts } from "../../../core/report/audit/audit-texts.ts";
import { replies } from "../../../core/report/github/run/replies.ts";
import type { Reply } from "../../../core/report/github/run/shelved.ts";
import type { Host, RepoEngine } from "../host.ts";
import { answerIn, hearAnswer } from "../task/hear-answer.ts";
import { type CommandCall, dispatchCommand } from "./dispatch-command.ts";
import { effectKey, handleOnce } from "./handle-once.ts";
import { type IncomingComment, nameOfComment } from "./incoming-comment.ts";
import { replyOnce } from "./reply-once.ts";
import { runOn } from "./run-on.ts";

/**
 * A comment with commands: 👀 once it is read and its author known, then exactly one reply that holds the outcome of each
 * of them. What was done for it before is not done again, whatever delivery brings it: its outcome is remembered.
 */
export async function handleComment(
  host: Host,
  engine: RepoEngine,
  incoming: IncomingComment,
  signal: AbortSignal,
): Promise<void> {
  // Loom's own words may quote a command, and bots may quote Loom's (T2).
  if (incoming.sender.bot) return;
  await handleOnce(host, engine, incoming, () => handle(host, engine, incoming, signal));
}

async function handle(
  host: Host,
  engine: RepoEngine,
  incoming: IncomingComment,
  signal: AbortSignal,
): Promise<void> {
  const { items, unread } = parseCommands(incoming.body);
  // The planner asks in the thread, and is answered there.
  if (items.length === 0) return isInThread(incoming) ? hearAnswer(engine, incoming) : undefined;
  // Throws when GitHub can't say: then nothing happens at all (T1).
  const role = await engine.people.roleOf(incoming.sender);
  const react = (how: "eyes" | "confused") => reactTo(engine, incoming, how);
  await react("eyes");
  const call: CommandCall = { host, engine, incoming, who: { ...incoming.sender, role }, signal };
  const outcomes: Reply[] = [];
  // What stands below a command may belong to it; what stands above is said besides.
  const above = splitLines(incoming.body).slice(0, (items[0]?.line ?? 1) - 1);
  const besides = { ...incoming, body: above.join("\n") };
  const answer = isInThread(incoming)
    ? await replyOnce(engine, `${effectKey(incoming)}/answer`, () => answerIn(engine, besides, role))
    : null;
  if (answer) outcomes.push(answer);
  for (const [place, item] of items.entries()) {
    outcomes.push(
      await replyOnce(engine, `${effectKey(incoming)}/${place}`, () =>
        item.kind === "mistake"
          ? Promise.resolve({ ok: false, text: replies.mistake(item) })
          : tryCommand({ ...call, incoming: { ...incoming, order: place } }, commandOf(item, incoming)),
      ),
    );
  }
  if (unread > 0) outcomes.push({ ok: false, text: replies.unread(unread) });
  if (outcomes.every(({ ok }) => !ok)) await react("confused");
  // What one agent is sent for is told in a comment of its own.
  if (outcomes.every(({ text }) => text === "")) return;
  const key = replyKey(incoming);
  const text = replies.together(outcomes.map((outcome) => outcome.text));
  await engine.threads.comment(incoming.number, key, text, incoming.line?.remark);
}

/** All that a new issue says is told anyway. */
function commandOf(item: ReadCommand, { comment }: IncomingComment): Command {
  return comment === null ? item.command : withWordsAbove(item);
}

function isInThread({ on = "thread" }: IncomingComment): boolean {
  return on === "thread";
}

export function replyKey(incoming: Pick<IncomingComment, "comment" | "on" | "number">): string {
  return `reply-${incoming.comment === null ? `issue-${incoming.number}` : nameOfComment(incoming)}`;
}

/** Nobody but GraphQL can react to a review as a whole; what came of it has to do there. */
export async function reactTo(
  { threads }: Pick<RepoEngine, "threads">,
  { number, comment, on }: Pick<IncomingComment, "comment" | "on" | "number">,
  how: "eyes" | "confused",
): Promise<void> {
  if (on === "review") return;
  if (comment === null) await threads.react({ issue: number }, how);
  else await threads.react(on === "line" ? { remark: comment } : { comment }, how);
}

async function tryCommand(call: CommandCall, command: Command): Promise<Reply> {
  const { role, login } = call.who;
  if (!mayUse(command, role)) {
    const { number } = call.incoming;
    const what = auditTexts.command(command.verb, number, role);
    const where = await runOn(call.engine, number);
    call.engine.audit.refused({ boundary: "command", rule: "role", ...where, who: login, what });
    return { ok: false, text: replies.notAllowed(command.verb, role) };
  }
  try {
    return await dispatchCommand(call, command);
  } catch (error) {
    if (!needsPerson(error)) throw error;
    return { ok: false, text: replies.refusal(error.message, error.next) };
  }
}
