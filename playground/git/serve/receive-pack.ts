import { inTurn } from "../../model/in-turn.ts";
import { settlePush } from "../../model/pulls/settle-push.ts";
import type { Repository } from "../../model/types.ts";
import type { World } from "../../model/world.ts";
import { objectsOf } from "../objects/object-reader.ts";
import { runGit } from "../run-git.ts";
import type { GitActor } from "./authorize-git.ts";
import { judgeCommand, type Verdict } from "./judge-command.ts";
import { FLUSH, pktLine, sideBand } from "./pkt-line.ts";
import { type PushRequest, type RefCommand, readPush } from "./read-push.ts";
import { updateRef } from "./update-ref.ts";

/**
 * The server's side of a push. Git's own `receive-pack` can say no for one ref only through a hook, and then tells the
 * client "hook declined"; GitHub gives its reason in that place, and Loom reads it. So the commands are read, judged and
 * answered here; git unpacks the objects and moves the refs. Judging, moving and telling the model happen in the
 * repository's turn: a merge can't come between. Objects of a refused push stay behind, unreachable, as they may.
 */
export async function receivePack(
  world: World,
  repository: Repository,
  actor: GitActor,
  body: Buffer,
): Promise<Buffer> {
  const push = readPush(body);
  // Before a large push a client asks with an empty one whether it may.
  if (push.commands.length === 0) return Buffer.alloc(0);
  const unpacked = await unpack(repository.gitDir, push);
  if (unpacked !== "ok")
    return report(
      push,
      unpacked,
      push.commands.map(() => refuse("unpacker error")),
    );
  const verdicts = await inTurn(repository, () => applyPush(world, repository, actor, push));
  return report(push, unpacked, verdicts);
}

async function applyPush(
  world: World,
  repository: Repository,
  actor: GitActor,
  { commands, capabilities }: PushRequest,
): Promise<Verdict[]> {
  const judged: Verdict[] = [];
  for (const command of commands) judged.push(await judgeCommand(world, repository, actor, command));
  const allOrNothing = capabilities.has("atomic") && judged.some(({ kind }) => kind === "refused");
  const verdicts: Verdict[] = [];
  const moved: RefCommand[] = [];
  for (const [index, command] of commands.entries()) {
    const verdict = judged[index] ?? refuse("not judged");
    if (verdict.kind === "refused") verdicts.push(verdict);
    else if (allOrNothing) verdicts.push(refuse("atomic push failed"));
    else if (await updateRef(repository.gitDir, command.ref, command.after, command.before)) {
      moved.push(command);
      verdicts.push(verdict);
    } else verdicts.push(refuse("failed to update ref"));
  }
  await settlePush(world, repository, moved, { by: actor.login });
  return verdicts;
}

/**
 * "ok", or why git could not take the objects. Few objects stay loose, as git does it. It is strict: nothing enters that
 * refers to what is missing, so what is there is whole, and only the tips have to be looked for.
 */
async function unpack(gitDir: string, { commands, pack }: PushRequest): Promise<string> {
  const wanted = commands.flatMap(({ after }) => (after === null ? [] : [after]));
  if (wanted.length === 0) return "ok";
  const isPack = pack.length >= 12 && pack.toString("latin1", 0, 4) === "PACK";
  const count = isPack ? pack.readUInt32BE(8) : Number.NaN;
  if (count !== 0) {
    const how =
      count < 100
        ? ["unpack-objects", "-q", "--strict"]
        : ["index-pack", "--stdin", "--fix-thin", "--strict"];
    const { code, stderr } = await runGit(gitDir, how, { input: pack, codes: [0, 1, 128] });
    if (code !== 0) return stderr.trim().split("\n").at(-1) ?? "unpacker error";
  }
  for (const sha of wanted) if (!(await objectsOf(gitDir).info(sha))) return "missing necessary objects";
  return "ok";
}

function refuse(reason: string): Verdict {
  return { kind: "refused", reason, remarks: [] };
}

function report(push: PushRequest, unpacked: string, verdicts: readonly Verdict[]): Buffer {
  const lines = push.commands.map(({ ref }, index) => {
    const verdict = verdicts[index];
    return verdict?.kind === "refused" ? `ng ${ref} ${verdict.reason}\n` : `ok ${ref}\n`;
  });
  const status = Buffer.concat([...[`unpack ${unpacked}\n`, ...lines].map(pktLine), FLUSH]);
  const remarks = verdicts.flatMap((verdict) => (verdict.kind === "refused" ? verdict.remarks : []));
  const wantsReport = push.capabilities.has("report-status") || push.capabilities.has("report-status-v2");
  if (!push.capabilities.has("side-band-64k")) return wantsReport ? status : Buffer.alloc(0);
  const spoken = Buffer.from(remarks.map((remark) => `${remark}\n`).join(""));
  return Buffer.concat([sideBand(2, spoken), wantsReport ? sideBand(1, status) : Buffer.alloc(0), FLUSH]);
}
