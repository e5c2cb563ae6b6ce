import { createHmac, timingSafeEqual } from "node:crypto";
import { InternalError, UserError } from "../../core/errors.ts";
import { isId, type RunId, type Sha } from "../../core/ids.ts";
import { auditTexts } from "../../core/report/audit/audit-texts.ts";
import type { Repository } from "./repository.ts";

/**
 * The ledger's copy: one commit without a parent below `refs/loom/`, which no clone fetches by itself. Whoever may push
 * could write there too, so that the text is signed with a key only Loom can make. The signature covers repository and run:
 * a copy can't be passed off as another run's.
 */
const TEXT = "history.jsonl";
const SIGNATURE = "signature";
const MAX_BYTES = 64 * 1024 * 1024;
const LOOM = { name: "Loom", email: "loom@localhost" };

/** `previous`: keys that were replaced; copies that they signed still count. */
export type SigningKeys = { readonly current: Buffer; readonly previous: readonly Buffer[] };
export type LedgerMirror = {
  readonly repository: Repository;
  readonly signingKeys: SigningKeys;
  /** Where this process has put copies. */
  readonly tips: Map<RunId, Sha>;
};

/** Where a copy stands is known after it was written, and the lease says when that has changed; only then it is looked up. */
export async function mirrorLedger(mirror: LedgerMirror, run: RunId, text: string): Promise<void> {
  const ref = refOf(run);
  const { remote } = mirror.repository;
  const commit = await writeCommit(mirror, run, text);
  const known = mirror.tips.get(run);
  mirror.tips.delete(run);
  for (let round = 0; round < 3; round += 1) {
    const isKnown = round === 0 && known !== undefined && known !== commit;
    const expected = isKnown ? known : ((await remote.list([ref])).get(ref) ?? null);
    const pushed =
      expected === commit ? { kind: "pushed" as const } : await remote.push([{ ref, to: commit, expected }]);
    if (pushed.kind === "pushed") {
      mirror.tips.set(run, commit);
      return;
    }
    if (pushed.kind === "refused") {
      throw new UserError(`GitHub refused the copy of the ledger at \`${ref}\`: ${pushed.reason}`, {
        next: "Let the App write below `refs/loom/` in the repository's rules.",
      });
    }
  }
  throw new Error(`failed to write ${ref}: somebody else writes it`);
}

export async function mirroredLedgers(
  mirror: LedgerMirror,
): Promise<readonly { run: RunId; text: string }[]> {
  const { remote, workspace, audit } = mirror.repository;
  const refs = [...(await remote.list(["refs/loom/"])).keys()].filter((ref) => isId(runOf(ref)));
  if (refs.length === 0) return [];
  const ledgers: { run: RunId; text: string }[] = [];
  for (const [ref, commit] of await remote.fetchRefs(refs)) {
    const run = runOf(ref);
    const text = await workspace.readFile(commit, TEXT, MAX_BYTES);
    const signature = await workspace.readFile(commit, SIGNATURE, 1024);
    if (text !== null && signature !== null && isSigned(mirror, run, text, signature.trim())) {
      ledgers.push({ run, text });
    } else {
      audit.refused({ boundary: "store", rule: "copy", run, what: auditTexts.copy(ref) });
    }
  }
  return ledgers;
}

export async function forgetLedger({ repository, tips }: LedgerMirror, run: RunId): Promise<void> {
  const ref = refOf(run);
  tips.delete(run);
  const expected = (await repository.remote.list([ref])).get(ref);
  if (expected !== undefined) await repository.remote.push([{ ref, to: null, expected }]);
}

function refOf(run: RunId): string {
  if (!isId(run)) throw new InternalError(`${JSON.stringify(run)} is not an id`);
  return `refs/loom/${run}`;
}

function runOf(ref: string): RunId {
  return ref.slice("refs/loom/".length);
}

function sign({ repository }: LedgerMirror, key: Buffer, run: RunId, text: string): string {
  return createHmac("sha256", key).update(`${repository.place.id}\0${run}\0${text}`).digest("hex");
}

function isSigned(mirror: LedgerMirror, run: RunId, text: string, signature: string): boolean {
  const given = Buffer.from(signature);
  const { current, previous } = mirror.signingKeys;
  return [current, ...previous].some((key) => {
    const expected = Buffer.from(sign(mirror, key, run, text));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** The same ledger gives the same commit, so that writing it twice changes nothing. */
async function writeCommit(mirror: LedgerMirror, run: RunId, text: string): Promise<Sha> {
  const signature = `${sign(mirror, mirror.signingKeys.current, run, text)}\n`;
  return mirror.repository.git.storeCommit(
    { [TEXT]: text, [SIGNATURE]: signature },
    { message: `Ledger of the run ${run}\n`, by: { ...LOOM, date: "@0 +0000" } },
  );
}
