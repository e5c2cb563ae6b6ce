import { messageOf, UserError } from "../../core/errors.ts";
import type { RunId } from "../../core/ids.ts";
import { startTexts } from "../../core/report/texts/start-texts.ts";
import type { Run } from "../../core/run/run.ts";
import type { RunLedgers } from "../../engine/run/run-ledgers.ts";
import type { RunStore } from "../../ports/ledger-store.ts";

type Stored = { readonly store: RunStore; readonly runs: RunLedgers };

export type AllRuns = {
  /** Newest first. */
  readonly runs: readonly Run[];
  /** One damaged ledger must not hide the others. */
  readonly unreadable: readonly { readonly id: RunId; readonly reason: string }[];
};

export async function allRuns({ store, runs: ledgers }: Stored): Promise<AllRuns> {
  const runs: Run[] = [];
  const unreadable: { id: RunId; reason: string }[] = [];
  for (const id of await store.list()) {
    try {
      const run = await ledgers.load(id);
      if (run) runs.push(run);
    } catch (error) {
      unreadable.push({ id, reason: messageOf(error) });
    }
  }
  return { runs: runs.sort((a, b) => b.createdAt.localeCompare(a.createdAt)), unreadable };
}

/** By its id or an unambiguous beginning of it; the newest when none is named, or the newest that `prefer` likes. */
export async function pickRun(
  stored: Stored,
  name: string | undefined,
  prefer: (run: Run) => boolean = () => true,
): Promise<Run> {
  if (name === undefined) {
    const { runs, unreadable } = await allRuns(stored);
    const run = runs.find(prefer) ?? runs[0];
    if (run) return run;
    const [first] = unreadable;
    throw first
      ? new UserError(first.reason, { next: startTexts.forgetUnreadable(first.id) })
      : new UserError("There are no runs in this repository yet.", {
          next: "`loom run PLAN.md` starts one.",
        });
  }
  return stored.runs.get(await pickRunId(stored, name));
}

/** Also for a run whose ledger can't be read. */
export async function pickRunId({ store }: Pick<Stored, "store">, name: string): Promise<RunId> {
  const ids = await store.list();
  // Every id begins with nothing, and whoever's variable is empty meant none of them.
  const matches = ids.includes(name) ? [name] : ids.filter((id) => name !== "" && id.startsWith(name));
  const [only, second] = matches;
  if (only === undefined) {
    throw new UserError(startTexts.noRun(name), { next: startTexts.noRunNext(), exitCode: 2 });
  }
  if (second !== undefined) {
    throw new UserError(`${name} could be ${matches.slice(0, 5).join(" or ")}.`, {
      next: "Write a little more of it.",
      exitCode: 2,
    });
  }
  return only;
}
