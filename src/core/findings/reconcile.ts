import type { AuditResult, Finding, FindingFates } from "../task/task-events.ts";
import { type FindingState, type KnownFindings, openRemarks } from "./known-findings.ts";
import type { LineRemark } from "./line-remark.ts";
import type { Placed, PlacedFinding } from "./place-findings.ts";
import type { TextSection } from "./read-sections.ts";

/**
 * What an audit does with a pull request that it has spoken on before. What was said is said once: it is changed where it
 * stands, or left alone, and what is fixed is settled. What people settled stays settled; they have read it and decided.
 * Each of the acts can be done again, so that a second try finds less to do; `fates` are those of the first one.
 */
export type Reconciled = {
  /** For one new review, on lines: what is new, and what stood on a line that is gone. */
  readonly fresh: readonly PlacedFinding[];
  /** New as well, but for the review's own text. */
  readonly freshElsewhere: readonly Finding[];
  readonly edit: readonly { readonly remark: number; readonly body: string; readonly id: string }[];
  /** In the text of a review, where that says it otherwise. */
  readonly rewrite: readonly { readonly review: string; readonly finding: Finding }[];
  /** Of findings that are fixed, and of remarks that a newer one takes the place of. */
  readonly resolve: readonly { readonly thread: string; readonly id: string }[];
  readonly fates: FindingFates;
};

/** How findings are written. What stands there already is compared with that, not with what it was made of. */
export type FindingWords = {
  readonly remarkBody: (one: Pick<PlacedFinding, "finding" | "shortened" | "suggestion">) => string;
  /** Whether the text says all that would be written now, be it at less length. */
  readonly isSection: (section: TextSection, finding: Finding) => boolean;
};

export function reconcile(input: {
  readonly known: KnownFindings;
  readonly result: AuditResult;
  readonly placed: Placed;
  readonly words: FindingWords;
}): Reconciled {
  const { known, result, placed, words } = input;
  const stateOf = (id: string): FindingState | null => known.get(id)?.state ?? null;
  const openOf = (id: string): LineRemark[] => openRemarks(known.get(id) ?? { remarks: [] });

  const fresh: PlacedFinding[] = [];
  const freshElsewhere: Finding[] = [];
  const edit: Reconciled["edit"][number][] = [];
  const rewrite: Reconciled["rewrite"][number][] = [];
  const resolve: Reconciled["resolve"][number][] = [];
  const fates = noFates();

  const sayAgain = (id: string, remark: LineRemark, body: string): void => {
    const isSame = remark.body.trim() === body.trim();
    if (!isSame) edit.push({ remark: remark.id, body, id });
    (isSame ? fates.standing : fates.updated).push(id);
  };
  const settle = (id: string, which: readonly LineRemark[]): void => {
    resolve.push(...which.map(({ thread }) => ({ thread, id })));
  };
  /** What was fixed and is there again is told again. */
  const isNew = (id: string): boolean => stateOf(id) === null || stateOf(id) === "fixed";
  const leave = (id: string): void => {
    if (stateOf(id) === "open") fates.standing.push(id);
    if (stateOf(id) === "settled") fates.settled.push(id);
  };
  /** What no line could carry when it was told stays in its text. */
  const sayInText = (finding: Finding): void => {
    const { id } = finding;
    const section = known.get(id)?.sections.findLast(({ struck }) => !struck);
    if (!section || words.isSection(section, finding)) leave(id);
    else {
      rewrite.push({ review: section.review, finding });
      fates.updated.push(id);
    }
  };

  for (const one of placed.onLines) {
    const { id } = one.finding;
    // Two tries may have left two of the same; the one that still stands on a line of this file is gone on with.
    const isHere = ({ path, line }: LineRemark): boolean => line !== null && path === one.path;
    const standing = openOf(id).find(isHere);
    const others = openOf(id).filter((remark) => !isHere(remark));
    if (isNew(id)) {
      fresh.push(one);
      fates.fresh.push(id);
    } else if (standing) {
      sayAgain(id, standing, bodyAt(words, standing, one));
      settle(id, others);
    } else if (others.length > 0) {
      // GitHub folds it away, or it stands in another file, though it has a line in the change.
      fresh.push(one);
      settle(id, others);
      fates.updated.push(id);
    } else sayInText(one.finding);
  }
  for (const finding of placed.elsewhere) {
    const { id } = finding;
    // Its remark stays where it is, though the change does not show the line any more; but not in another file.
    const here = openOf(id).find(({ path }) => finding.file === null || path === finding.file);
    if (isNew(id)) {
      freshElsewhere.push(finding);
      fates.fresh.push(id);
    } else if (here) sayAgain(id, here, bodyOffLine(words, finding));
    else if (openOf(id).length > 0) {
      freshElsewhere.push(finding);
      settle(id, openOf(id));
      fates.updated.push(id);
    } else sayInText(finding);
  }

  const said = new Set(result.findings.map(({ id }) => id));
  for (const { id, state } of result.earlier) {
    if (said.has(id)) continue;
    said.add(id);
    if (state === "stands") leave(id);
    else if (stateOf(id) === "open") {
      (openOf(id).length > 0 ? fates.resolved : fates.struck).push(id);
      settle(id, openOf(id));
    }
  }
  fates.unsaid.push(...[...known.keys()].filter((id) => !said.has(id) && stateOf(id) === "open"));
  return { fresh, freshElsewhere, edit, rewrite, resolve, fates };
}

function noFates(): FindingFates {
  return { fresh: [], updated: [], standing: [], settled: [], resolved: [], struck: [], unsaid: [] };
}

/** A suggestion takes the place of the very lines that its remark stands on, so that on others it would break the file. */
function bodyAt(words: FindingWords, remark: LineRemark, one: PlacedFinding): string {
  const isThere = remark.path === one.path && remark.line === one.line && remark.startLine === one.startLine;
  return isThere ? words.remarkBody(one) : bodyOffLine(words, one.finding);
}

function bodyOffLine(words: FindingWords, finding: Finding): string {
  return words.remarkBody({ finding, shortened: finding.line !== null, suggestion: null });
}
