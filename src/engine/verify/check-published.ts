import { unknownDotNames } from "../../core/merge/dot-names.ts";
import { hidingLines, hidingMacros } from "../../core/merge/hidden-diff.ts";
import { hiddenInCode, hiddenTextIn, notShownIn } from "../../core/merge/hidden-text.ts";
import { isSource } from "../../core/merge/source-files.ts";
import { doubtAbout } from "../../core/paths/deceptive-name.ts";
import { flagOf } from "../../core/paths/protected-paths.ts";
import { visiblePath } from "../../core/paths/visible-name.ts";
import type { RuleOf } from "../../core/policy/boundaries.ts";
import { quote, quoteSome } from "../../core/text/quote.ts";
import { branch, leaf, type Verdict } from "../../core/verify/verdict.ts";
import type { CommitContent } from "./check-content.ts";
import type { CheckDeps } from "./check-scene.ts";

/** Of each kind, so that many findings of one hide none of another. */
const MOST_SHOWN = 20;
const MOST_SEARCHED = 16_000_000;
/** Each costs two calls of git. */
const MOST_OPENED = 100;

/**
 * What the import took and people should still look at before they merge: attributes and bytes that hide a diff, text that
 * can't be seen, settings that decide what others' machines run, names that look like others (T45). The worst comes first.
 * It fails nothing.
 */
export async function checkPublished(
  content: CommitContent,
  { onDoubt }: Pick<CheckDeps, "onDoubt">,
): Promise<Verdict | null> {
  const paths = [...(await content.changed())].sort();
  const tell =
    (rule: RuleOf<"published">) =>
    ({ title, detail }: Verdict): void =>
      onDoubt?.({ boundary: "published", rule, what: `${title}: ${detail ?? ""}` });
  const odd = paths.flatMap((path) => {
    const why = doubtIn(path);
    return why === null ? [] : [{ path, why }];
  });
  const texts = await searchDiff(content, paths);
  const diffs = [...(await hiddenDiffs(content, paths)), ...texts.notShown];
  for (const { path, why } of odd) tell("odd-name")(leaf("warned", visiblePath(path), why));
  diffs.forEach(tell("hidden-diff"));
  texts.hidden.forEach(tell("hidden-text"));
  const flagged = paths.flatMap((path) => {
    const why = flagOf(path);
    return why === null ? [] : [leaf("warned", visiblePath(path), `look at it before you merge: it ${why}`)];
  });
  const dotted = unknownDotNames(paths, paths.some(isDotted) ? await content.baseFiles() : []);
  const kinds = [diffs, texts.hidden, flagged, inOne(dotted), oddNames(odd)];
  return kinds.every((found) => found.length === 0) ? null : branch("published files", kinds.flatMap(cut));
}

function cut(found: readonly Verdict[]): readonly Verdict[] {
  const left = found.length - MOST_SHOWN;
  if (left <= 0) return found;
  const more = leaf("warned", "more", `${left} more files to look at before you merge`);
  return [...found.slice(0, MOST_SHOWN), more];
}

function isDotted(path: string): boolean {
  return path.startsWith(".");
}

function inOne(names: readonly string[]): Verdict[] {
  if (names.length === 0) return [];
  const shown = quoteSome(names.map(visiblePath));
  return [leaf("warned", "new dot files", `look at them before you merge: tools may read ${shown} unasked`)];
}

type OddName = { readonly path: string; readonly why: string };

/** In one line, with every reason: whoever adds many of one kind must not hide another. */
function oddNames(odd: readonly OddName[]): Verdict[] {
  const [first, ...others] = odd;
  if (first === undefined) return [];
  if (others.length === 0)
    return [leaf("warned", visiblePath(first.path), `look at it before you merge: it ${first.why}`)];
  const byReason = new Map<string, string[]>();
  for (const { path, why } of odd) byReason.set(why, [...(byReason.get(why) ?? []), visiblePath(path)]);
  const reasons = [...byReason].map(([why, names]) =>
    names.length === 1 ? `${quoteSome(names)} ${why}` : `${quoteSome(names, 3)} (each ${why})`,
  );
  return [leaf("warned", "odd names", `look at them before you merge: ${reasons.join("; ")}`)];
}

function doubtIn(path: string): string | null {
  for (const name of path.split("/")) {
    const why = doubtAbout(name);
    if (why !== null) return why;
  }
  return null;
}

type Searched = { readonly hidden: readonly Verdict[]; readonly notShown: readonly Verdict[] };

async function searchDiff(content: CommitContent, paths: readonly string[]): Promise<Searched> {
  if (paths.length === 0) return { hidden: [], notShown: [] };
  const { text, cut: missing } = await content.diff(MOST_SEARCHED);
  const hidden = hiddenTextIn(text).map(({ path, what }) => leaf("warned", visiblePath(path), what));
  const notShown: Verdict[] = [];
  const unseen = notShownIn(text, new Set(paths.filter(mayBeSource)));
  for (const [at, path] of unseen.entries()) {
    const what = await judgeNotShown(content, path, at < MOST_OPENED);
    if (what?.kind === "not-shown") notShown.push(leaf("warned", visiblePath(path), what.text));
    if (what?.kind === "hidden") hidden.push(leaf("warned", visiblePath(path), what.text));
  }
  if (missing !== null)
    hidden.push(leaf("warned", "hidden text", "the change is too large to be searched to its end"));
  return { hidden, notShown };
}

/** A script may come without an ending; its first line says so. */
function mayBeSource(path: string): boolean {
  return isSource(path) || !path.slice(path.lastIndexOf("/") + 1).includes(".");
}

/** A zero among the first bytes, as every text in UTF-16 has, and git takes a file for binary (T45). */
async function judgeNotShown(
  content: CommitContent,
  path: string,
  mayOpen: boolean,
): Promise<{ readonly kind: "not-shown" | "hidden"; readonly text: string } | null> {
  const text = mayOpen ? await content.read(path) : null;
  if (text === null)
    return isSource(path)
      ? { kind: "not-shown", text: "is not shown in diffs, and was not looked into" }
      : null;
  if (!isSource(path) && !text.startsWith("#!")) return null;
  const what = hiddenInCode(text.replaceAll("\0", ""));
  if (!text.includes("\0")) return what === null ? null : { kind: "hidden", text: what };
  const also = what === null ? "" : `; it also ${what}`;
  return { kind: "not-shown", text: `is not shown in diffs, because it holds zero bytes${also}` };
}

async function hiddenDiffs(content: CommitContent, paths: readonly string[]): Promise<Verdict[]> {
  const files = paths.filter((path) => /(?:^|\/)\.gitattributes$/i.test(path));
  if (files.length === 0) return [];
  // Only the file at the root can define names for several attributes.
  const macros = hidingMacros((await content.read(".gitattributes").catch(() => null)) ?? "");
  const verdicts: Verdict[] = [];
  for (const file of files) {
    const after = await content.read(file);
    if (after === null) {
      if ((await content.find("**/.gitattributes")).includes(file))
        verdicts.push(
          leaf("warned", visiblePath(file), "is too large to be looked into; it may hide changes"),
        );
      continue;
    }
    const [first, ...rest] = hidingLines(await content.readBase(file), after, macros);
    if (first === undefined) continue;
    const others = rest.length > 0 ? ` and ${rest.length} more lines` : "";
    verdicts.push(leaf("warned", visiblePath(file), `hides changes from readers: ${quote(first)}${others}`));
  }
  return verdicts;
}
