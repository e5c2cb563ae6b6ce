import type { Finding } from "../task/task-events.ts";
import { type EarlierFinding, type EarlierFindings, shownOf } from "./earlier-finding.ts";

/** As it was read: the id is what the agent wrote. */
export type UnnamedFinding = Omit<Finding, "id"> & { readonly id: string | null };

/**
 * Which findings are old ones. Two audits of the same code find the same, and agents forget ids or make them up; so the
 * agent's word counts only for an id that it was shown, and not for a finding that is clearly another one, and what is
 * called the same at the same place is the same without it. A title alone says little: a page without a title, an image
 * without words, an unchecked error are found in many places, and taking one for the other would hide it. `files` are those
 * that there are; null: nobody knows. Only what is left gets a number of its own.
 */
export function nameFindings(
  findings: readonly UnnamedFinding[],
  { open, settled, ids }: EarlierFindings,
  files: ReadonlySet<string> | null = null,
): Finding[] {
  const names = new Map<UnnamedFinding, string>();
  const used = new Set<string>();
  const take = (finding: UnnamedFinding, old: EarlierFinding | undefined): void => {
    if (!old || used.has(old.id) || names.has(finding)) return;
    names.set(finding, old.id);
    used.add(old.id);
  };
  /** Where several may be the one, the one that is nearest to it. */
  const takeAll = (
    list: readonly EarlierFinding[],
    isIt: (old: EarlierFinding, finding: UnnamedFinding) => boolean,
  ): void => {
    for (const finding of findings) {
      const left = list.filter((old) => !used.has(old.id) && isIt(old, finding));
      take(finding, left.sort((one, other) => distance(one, finding) - distance(other, finding))[0]);
    }
  };
  const isSaid = (old: EarlierFinding, { id }: UnnamedFinding): boolean => old.id === id;
  const isGone = ({ file }: EarlierFinding): boolean => file !== null && files?.has(file) === false;
  const isHere = (old: EarlierFinding, finding: UnnamedFinding): boolean =>
    old.file === finding.file && !isFar(old, finding);
  const mayBeHere = (old: EarlierFinding, finding: UnnamedFinding): boolean =>
    (old.file === finding.file || isGone(old)) && !isFar(old, finding);

  takeAll(shownOf(open), (old, one) => isSaid(old, one) && old.file === one.file && !isAnother(old, one));
  takeAll(shownOf(open), (old, one) => isSaid(old, one) && !isAnother(old, one));
  // What people settled is not told again, so that a new finding must not pass for it.
  takeAll(shownOf(settled), (old, one) => isSaid(old, one) && areAlike(old, one) && mayBeHere(old, one));
  const known = [...open, ...settled];
  takeAll(known, (old, one) => hasSameTitle(old, one) && isHere(old, one));
  // A file has another name by now: it went on where the lines are the same, or where its place is not known any more.
  takeAll(known, (old, one) => hasSameTitle(old, one) && isGone(old) && distance(old, one) === 0);
  takeAll(open, (old, one) => hasSameTitle(old, one) && mayBeHere(old, one));

  const taken = new Set([...ids, ...known.map(({ id }) => id)]);
  let next = 1;
  return findings.map((finding) => {
    while (!names.has(finding) && taken.has(`F${next}`)) next += 1;
    const id = names.get(finding) ?? `F${next}`;
    taken.add(id);
    return { ...finding, id };
  });
}

/** Further apart than a function's lines, it is about something else. */
const FAR = 20;

/** GitHub moves a remark with its line, so that what it says of the place is true after a push as well. */
function isFar(old: EarlierFinding, finding: UnnamedFinding): boolean {
  return distance(old, finding) > FAR;
}

/** In lines. Where one of them has none it may be here, but what is surely near goes before it. */
function distance({ line: at }: EarlierFinding, { line, endLine }: UnnamedFinding): number {
  if (at === null || line === null) return FAR;
  return Math.max(0, line - at, at - (endLine ?? line));
}

function isAnother(old: EarlierFinding, finding: UnnamedFinding): boolean {
  return !areAlike(old, finding) && (old.file !== finding.file || isFar(old, finding));
}

type Titled = { readonly title: string };

function hasSameTitle(one: Titled, other: Titled): boolean {
  return wordsOf(one).join(" ") === wordsOf(other).join(" ");
}

/** Half of the words of the shorter one are in the other. */
function areAlike(one: Titled, other: Titled): boolean {
  const [a, b] = [heavyWords(one), heavyWords(other)];
  const shared = [...a].filter((word) => b.has(word)).length;
  return hasSameTitle(one, other) || shared * 2 >= Math.max(1, Math.min(a.size, b.size));
}

function heavyWords(titled: Titled): Set<string> {
  return new Set(wordsOf(titled).filter((word) => word.length > 2));
}

/** Without what Markdown needs around words, and what keeps them plain text on GitHub. */
function wordsOf({ title }: Titled): string[] {
  return (
    title
      .toLowerCase()
      .replace(/&#?\w{1,10};/g, "")
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
