import type { Command } from "../../core/command/command.ts";
import { mayUse } from "../../core/command/commands.ts";
import { parseCommands } from "../../core/command/parse-commands.ts";
import { UserError } from "../../core/errors.ts";
import { replies } from "../../core/report/github/replies.ts";
import { type Reply, readReply } from "../../core/report/github/shelved.ts";
import { type CommandCall, carryOut } from "./carry-out.ts";
import type { Host, RepoEngine } from "./host.ts";
import type { Said } from "./said.ts";

/**
 * A comment with commands: 👀 once it is read and its author known, then exactly one reply that holds the outcome of each
 * of them. What was done for an earlier try of the same delivery is not done again: its outcome is remembered.
 */
export async function handleComment(
  host: Host,
  engine: RepoEngine,
  delivery: string,
  said: Said,
  signal: AbortSignal,
): Promise<void> {
  // Loom's own words may quote a command, and bots may quote Loom's (T2).
  if (said.sender.bot) return;
  const { items, unread } = parseCommands(said.body);
  if (items.length === 0) return;
  const { login } = said.sender;
  // Throws when GitHub can't say: then nothing happens at all (T1).
  const role = await engine.hub.roleOf(login);
  const target = said.comment === null ? { issue: said.number } : { comment: said.comment };
  await engine.hub.react(target, "eyes");
  const call: CommandCall = { host, engine, said, who: { login, role }, signal };
  const outcomes: Reply[] = [];
  for (const [place, item] of items.entries()) {
    outcomes.push(
      await once(engine, `reply/${delivery}/${place}`, () =>
        item.kind === "mistake"
          ? Promise.resolve({ ok: false, text: replies.mistake(item) })
          : tryCommand(call, item.command),
      ),
    );
  }
  if (unread > 0) outcomes.push({ ok: false, text: replies.unread(unread) });
  if (outcomes.every(({ ok }) => !ok)) await engine.hub.react(target, "confused");
  const key = `reply-${said.comment ?? `issue-${said.number}`}`;
  await engine.hub.comment(said.number, key, replies.together(outcomes.map(({ text }) => text)));
}

async function tryCommand(call: CommandCall, command: Command): Promise<Reply> {
  const { role } = call.who;
  if (!mayUse(command, role)) return { ok: false, text: replies.notAllowed(command.verb, role) };
  try {
    return await carryOut(call, command);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { ok: false, text: replies.refusal(error.message, error.next) };
  }
}

async function once(engine: RepoEngine, key: string, work: () => Promise<Reply>): Promise<Reply> {
  const known = readReply(await engine.shelf.get(key));
  if (known) return known;
  const reply = await work();
  await engine.shelf.set(key, JSON.stringify(reply), { ttlMs: 3 * 24 * 3_600_000 });
  return reply;
}
