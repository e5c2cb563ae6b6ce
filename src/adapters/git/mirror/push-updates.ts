import { setTimeout as delay } from "node:timers/promises";
import type { Sha } from "../../../core/ids.ts";
import type { GitAnswer, GitCall } from "../../../ports/git.ts";
import type { PushOutcome, RefUpdate } from "../../../ports/remote.ts";
import { GitFailure } from "../run/git-failure.ts";
import { httpStatus, remoteFailure } from "../run/remote-failure.ts";

/**
 * A push is judged by where the refs stand, not by its answer: the answer can be lost after the push took effect (F14), a
 * ref can have been where it should be all along, and a refusal can be a race that somebody else won. Each ref carries
 * a lease on the commit it has to stand at, so that trying again never goes over a person's work (F19).
 */
export type PushLines = {
  readonly url: string;
  look(refs: readonly string[]): Promise<ReadonlyMap<string, Sha>>;
  send(call: GitCall): Promise<GitAnswer>;
};

const ROUNDS = 3;

export async function pushUpdates(lines: PushLines, updates: readonly RefUpdate[]): Promise<PushOutcome> {
  // What must not exist and shall not exist needs no push; git would complain about the deletion of nothing.
  let open = updates.filter(({ to, expected }) => to !== null || expected !== null);
  for (let round = 1; ; round += 1) {
    if (open.length === 0) return { kind: "pushed" };
    const answer = await send(lines, open);
    if (answer.code === 0) return { kind: "pushed" };

    const now = await lines.look(open.map(({ ref }) => ref));
    const at = (ref: string): Sha | null => now.get(ref) ?? null;
    open = open.filter(({ ref, to }) => at(ref) !== to);
    const stale = open.filter(({ ref, expected }) => at(ref) !== expected).map(({ ref }) => ref);
    if (stale.length > 0) return { kind: "stale", refs: stale };
    if (open.length === 0) return { kind: "pushed" };

    const reason = refusal(answer);
    if (reason !== null && !isRace(reason)) return { kind: "refused", reason };
    // Who is asked to slow down does not try again at once.
    if (round === ROUNDS || httpStatus(answer.stderr) === 429) {
      throw remoteFailure(lines.url, new GitFailure("push", answer.code, answer.stderr));
    }
    await delay(200 * round);
  }
}

async function send(lines: PushLines, updates: readonly RefUpdate[]): Promise<GitAnswer> {
  const call = (isAtomic: boolean): GitCall => ({
    command: "push",
    options: [
      "--porcelain",
      "--no-verify",
      "--no-signed",
      "--no-follow-tags",
      "--recurse-submodules=no",
      ...(isAtomic ? ["--atomic"] : []),
      ...updates.map(({ ref, expected }) => `--force-with-lease=${ref}:${expected ?? ""}`),
    ],
    values: updates.map(({ ref, to }) => `${to ?? ""}:${ref}`),
    answers: [1, 128],
  });
  const answer = await lines.send(call(updates.length > 1));
  return answer.stderr.includes("does not support --atomic") ? lines.send(call(false)) : answer;
}

/** In the words of the other side; null when it did not refuse, but something went wrong on the way. */
function refusal({ stdout, stderr }: GitAnswer): string | null {
  const said = stderr
    .split(/[\r\n]+/)
    .flatMap((line) => /^remote: ?(.*)$/.exec(line)?.[1] ?? [])
    .map(plain)
    .filter((line) => line !== "")
    .join("\n");
  // `!<tab><from>:<to><tab>[remote rejected] (<why>)`
  const whys = stdout
    .split("\n")
    .flatMap((line) => /^!\t[^\t]*\t\[remote rejected\] \((.*)\)$/.exec(line)?.[1] ?? [])
    .map(plain)
    .filter((why) => !/^atomic (?:push|transaction) fail/.test(why));
  if (whys.length === 0) return httpStatus(stderr) === 403 ? said || "Writing is not allowed." : null;
  return [said, ...new Set(whys)]
    .filter((part) => part !== "")
    .join("\n")
    .slice(0, LONGEST);
}

const LONGEST = 2_000;

/** The other side's own locks, and refs that moved between its greeting and the push. */
function isRace(reason: string): boolean {
  return /(?:failed to update ref|cannot lock ref|reference already exists|fetch first|stale info)/.test(
    reason,
  );
}

function plain(text: string): string {
  return text
    .replace(/\u001b\[[0-9;]*[A-Za-z]/g, "")
    .replace(/[\u0000-\u001f\u007f]/g, "")
    .trim();
}
