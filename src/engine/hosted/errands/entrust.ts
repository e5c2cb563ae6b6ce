import type { Command } from "../../../core/command/command.ts";
import type { Role } from "../../../core/command/role.ts";
import type { RepositoryConfig } from "../../../core/config/repository-config.ts";
import type { Person } from "../../../core/delivery/delivery.ts";
import type { Errand } from "../../../core/errand/errand.ts";
import { type Audit, isAudit } from "../../../core/errand/errand-kinds.ts";
import { errandReplies } from "../../../core/report/github/errand-replies.ts";
import { replies } from "../../../core/report/github/replies.ts";
import type { Reply } from "../../../core/report/github/shelved.ts";
import { announcementOf } from "../../errand/errand-claim.ts";
import { cancelErrand } from "../../errand/run-errand.ts";
import { acquireSoon } from "../acquire-soon.ts";
import { findRun } from "../find-run.ts";
import { isOlder } from "../hear-command.ts";
import type { Host, RepoEngine } from "../host.ts";
import { readConfig } from "../read-config.ts";
import type { Said } from "../said.ts";
import { errandsAtWork, openErrands } from "./find-errands.ts";
import { type ErrandRequest, errandIdFor, requestErrand } from "./request-errand.ts";
import { sendErrand } from "./send-errand.ts";
import { say, startedText } from "./thread-office.ts";

type Asked = {
  readonly host: Host;
  readonly engine: RepoEngine;
  readonly said: Said;
  readonly who: Person & { readonly role: Role };
  readonly signal: AbortSignal;
};

/** What an agent is sent for, and how it is held. */
type Wish = Pick<ErrandRequest, "kind" | "text" | "run" | "harness" | "budgetUsd">;

const good = (text: string): Reply => ({ ok: true, text });
const bad = (text: string): Reply => ({ ok: false, text });

export function isLook(command: Command): command is Extract<Command, { verb: "ask" | Audit }> {
  return command.verb === "ask" || isAudit(command.verb);
}

/** An agent is sent; what it brings takes the place of the comment that says so, and that is the reply. */
export async function entrust(call: Asked, wish: Wish): Promise<Reply> {
  const { kind, run } = wish;
  const { host, engine, said, signal } = call;
  const { config, problems } = await readConfig(engine);
  if (!config) return bad(replies.brokenConfig(problems));
  const turn = await acquireSoon(host, `errand/${engine.repo}/${kind}/${run ?? said.number}`, signal);
  if (turn.kind === "held") return bad(errandReplies.busy(kind));
  try {
    return await send(call, config, wish);
  } finally {
    await turn.release();
  }
}

async function send(
  { host, engine, said, who }: Asked,
  config: RepositoryConfig,
  { kind, text, run, harness, budgetUsd }: Wish,
): Promise<Reply> {
  const id = errandIdFor(kind, said);
  const others = (await errandsAtWork(engine, said.number, run)).filter((open) => open.id !== id);
  // Two that look at the same would say the same; questions differ.
  if (kind !== "ask" && others.some((open) => open.kind === kind)) return bad(errandReplies.busy(kind));
  const errand = await requestErrand(host, engine, config, {
    kind,
    said,
    by: who,
    role: who.role,
    text,
    run,
    harness,
    budgetUsd,
    express: false,
    depth: null,
  });
  await announce(engine, errand);
  return good("");
}

/**
 * Says that somebody is at it, and sends them. A worker may have taken it since it was written down, and then has more to
 * say; none takes it while this is being said. Whoever dies here is followed by the sweep, once the lease has ended.
 */
export async function announce(engine: RepoEngine, { id }: Pick<Errand, "id">): Promise<void> {
  const turn = await acquireSoon(engine, announcementOf(id));
  try {
    const errand = await engine.errands.get(id);
    if (errand.outcome) return;
    if (errand.claim === null && turn.kind === "acquired") await say(engine, errand, startedText(errand));
  } finally {
    if (turn.kind === "acquired") await turn.release();
  }
  await sendErrand(engine, await engine.errands.get(id));
}

/** Commands that are about an agent at work outside of a run, where there is one; null: about a run. */
export async function aboutErrand({ engine, said, who }: Asked, command: Command): Promise<Reply | null> {
  if (command.verb !== "cancel" && command.verb !== "status") return null;
  const thread = await findRun(engine, said.number);
  // What was asked for later was not meant (T33).
  const open = (await openErrands(engine, said.number, thread?.run.id ?? null)).filter(
    ({ origin }) => !isOlder(said, origin),
  );
  if (open.length === 0) return null;
  if (command.verb === "status") {
    const atWork = open.filter(({ cancelledBy }) => cancelledBy === null);
    return thread || atWork.length === 0 ? null : good(errandReplies.status(atWork));
  }
  for (const errand of open)
    if (await cancelErrand(engine, errand.id, who.login)) await sendErrand(engine, errand);
  // Meanwhile a plan may have become a run.
  const now = await findRun(engine, said.number);
  return now?.run.status === "running" ? null : good(errandReplies.cancelling(open.length));
}
