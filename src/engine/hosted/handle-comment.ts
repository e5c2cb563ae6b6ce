import type { Command, ReadCommand } from "../../core/command/command.ts";
import { mayUse } from "../../core/command/commands.ts";
import { splitLines } from "../../core/command/find-command-lines.ts";
import { parseCommands, withWordsAbove } from "../../core/command/parse-commands.ts";
import { needsPerson } from "../../core/errors.ts";
import { auditTexts } from "../../core/report/audit-texts.ts";
import { replies } from "../../core/report/github/replies.ts";
import type { Reply } from "../../core/report/github/shelved.ts";
import { type CommandCall, carryOut } from "./carry-out.ts";
import { answerIn, hearAnswer } from "./errands/hear-answer.ts";
import { effectKey, heedOnce } from "./heed-once.ts";
import type { Host, RepoEngine } from "./host.ts";
import { replyOnce } from "./reply-once.ts";
import { runOn } from "./run-on.ts";
import { nameOfSaid, type Said } from "./said.ts";

/**
 * A comment with commands: 👀 once it is read and its author known, then exactly one reply that holds the outcome of each
 * of them. What was done for it before is not done again, whatever delivery brings it: its outcome is remembered.
 */
export async function handleComment(
  host: Host,
  engine: RepoEngine,
  said: Said,
  signal: AbortSignal,
): Promise<void> {
  // Loom's own words may quote a command, and bots may quote Loom's (T2).
  if (said.sender.bot) return;
  await heedOnce(host, engine, said, () => heed(host, engine, said, signal));
}

async function heed(host: Host, engine: RepoEngine, said: Said, signal: AbortSignal): Promise<void> {
  const { items, unread } = parseCommands(said.body);
  // The planner asks in the thread, and is answered there.
  if (items.length === 0) return isInThread(said) ? hearAnswer(engine, said) : undefined;
  // Throws when GitHub can't say: then nothing happens at all (T1).
  const role = await engine.hub.roleOf(said.sender);
  const react = (how: "eyes" | "confused") => reactTo(engine, said, how);
  await react("eyes");
  const call: CommandCall = { host, engine, said, who: { ...said.sender, role }, signal };
  const outcomes: Reply[] = [];
  // What stands below a command may belong to it; what stands above is said besides.
  const above = splitLines(said.body).slice(0, (items[0]?.line ?? 1) - 1);
  const besides = { ...said, body: above.join("\n") };
  const answer = isInThread(said)
    ? await replyOnce(engine, `${effectKey(said)}/answer`, () => answerIn(engine, besides, role))
    : null;
  if (answer) outcomes.push(answer);
  for (const [place, item] of items.entries()) {
    outcomes.push(
      await replyOnce(engine, `${effectKey(said)}/${place}`, () =>
        item.kind === "mistake"
          ? Promise.resolve({ ok: false, text: replies.mistake(item) })
          : tryCommand({ ...call, said: { ...said, order: place } }, commandOf(item, said)),
      ),
    );
  }
  if (unread > 0) outcomes.push({ ok: false, text: replies.unread(unread) });
  if (outcomes.every(({ ok }) => !ok)) await react("confused");
  // What one agent is sent for is told in a comment of its own.
  if (outcomes.every(({ text }) => text === "")) return;
  const key = replyKey(said);
  const text = replies.together(outcomes.map((outcome) => outcome.text));
  await engine.hub.comment(said.number, key, text, said.line?.remark);
}

/** All that a new issue says is told anyway. */
function commandOf(item: ReadCommand, { comment }: Said): Command {
  return comment === null ? item.command : withWordsAbove(item);
}

function isInThread({ on = "thread" }: Said): boolean {
  return on === "thread";
}

export function replyKey(said: Pick<Said, "comment" | "on" | "number">): string {
  return `reply-${said.comment === null ? `issue-${said.number}` : nameOfSaid(said)}`;
}

/** Nobody but GraphQL can react to a review as a whole; what came of it has to do there. */
export async function reactTo(
  { hub }: RepoEngine,
  { number, comment, on }: Pick<Said, "comment" | "on" | "number">,
  how: "eyes" | "confused",
): Promise<void> {
  if (on === "review") return;
  if (comment === null) await hub.react({ issue: number }, how);
  else await hub.react(on === "line" ? { remark: comment } : { comment }, how);
}

async function tryCommand(call: CommandCall, command: Command): Promise<Reply> {
  const { role, login } = call.who;
  if (!mayUse(command, role)) {
    const { number } = call.said;
    const what = auditTexts.command(command.verb, number, role);
    const where = await runOn(call.engine, number);
    call.engine.audit.refused({ wall: "command", rule: "role", ...where, who: login, what });
    return { ok: false, text: replies.notAllowed(command.verb, role) };
  }
  try {
    return await carryOut(call, command);
  } catch (error) {
    if (!needsPerson(error)) throw error;
    return { ok: false, text: replies.refusal(error.message, error.next) };
  }
}
