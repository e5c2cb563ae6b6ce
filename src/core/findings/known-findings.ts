import type { Audit } from "../command/task-kinds.ts";
import type { Finding } from "../task/task-events.ts";
import { findingKey, isReviewOf } from "./finding-keys.ts";
import type { LineRemark } from "./line-remark.ts";
import { readSections, type TextSection } from "./read-sections.ts";

/**
 * What audits of one kind said on a pull request before, and what became of it. The ledger knows what was found, and GitHub
 * what stands there: people settle conversations, open them again and delete remarks, and a ledger is forgotten after a
 * while. So GitHub is believed where it shows anything.
 */
export type KnownFinding = {
  readonly id: string;
  readonly state: FindingState;
  /** As the ledger has it; null: it does not tell of it any more. */
  readonly finding: Finding | null;
  readonly remarks: readonly LineRemark[];
  readonly sections: readonly KnownSection[];
};

/**
 * `open`: nobody has settled it. `settled`: people did while it stood, so they have read it and decided. `fixed`: an audit
 * saw that it is fixed; it may be found anew.
 */
export type FindingState = "open" | "settled" | "fixed";

/** Where it stands in the text of a review. */
export type KnownSection = TextSection & { readonly review: string };

export type KnownFindings = ReadonlyMap<string, KnownFinding>;

/** What the ledger tells of a finding. */
export type Told = { readonly finding: Finding; readonly fixed: boolean };

export function knownFindings(
  audit: Audit,
  sources: {
    readonly told: ReadonlyMap<string, Told>;
    readonly remarks: readonly LineRemark[];
    /** The texts of Loom's own reviews. */
    readonly reviews: readonly { readonly key: string; readonly body: string }[];
  },
): KnownFindings {
  const prefix = findingKey(audit, "");
  const remarks = byId(
    sources.remarks.filter(({ key }) => key.startsWith(prefix)),
    ({ key }) => key.slice(prefix.length),
  );
  const sections = byId(
    sources.reviews
      .filter(({ key }) => isReviewOf(audit, key))
      .flatMap(({ key, body }) => readSections(body).map((section) => ({ ...section, review: key }))),
    ({ id }) => id,
  );
  const ids = new Set([...sources.told.keys(), ...remarks.keys(), ...sections.keys()]);
  return new Map(
    [...ids].map((id) => {
      const told = sources.told.get(id) ?? null;
      const shown = { remarks: remarks.get(id) ?? [], sections: sections.get(id) ?? [] };
      return [id, { id, state: stateOf(told, shown), finding: told?.finding ?? null, ...shown }];
    }),
  );
}

function byId<T>(list: readonly T[], idOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of list) groups.set(idOf(one), [...(groups.get(idOf(one)) ?? []), one]);
  return groups;
}

function stateOf(
  told: Told | null,
  { remarks, sections }: Pick<KnownFinding, "remarks" | "sections">,
): FindingState {
  if (remarks.some(({ resolvedBy }) => resolvedBy === null)) return "open";
  if (sections.some(({ struck }) => !struck)) return "open";
  if (told?.fixed || sections.length > 0) return "fixed";
  if (remarks.some(({ resolvedBy }) => resolvedBy === "people")) return "settled";
  // It stood on a line and is gone from there: who deletes a remark has decided as well.
  return told === null ? "fixed" : "settled";
}

/** Remarks of conversations that nobody has settled; those on a line of the change before those that GitHub folds away. */
export function openRemarks({ remarks }: Pick<KnownFinding, "remarks">): LineRemark[] {
  const open = remarks.filter(({ resolvedBy }) => resolvedBy === null);
  return [...open.filter(({ line }) => line !== null), ...open.filter(({ line }) => line === null)];
}
