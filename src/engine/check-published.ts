import type { RuleOf } from "../core/audit/walls.ts";
import { doubtAbout } from "../core/merge/deceptive-name.ts";
import { hidingLines, hidingMacros } from "../core/merge/hidden-diff.ts";
import { hiddenTextIn } from "../core/merge/hidden-text.ts";
import { flagOf } from "../core/merge/protected-paths.ts";
import { visiblePath } from "../core/merge/visible-name.ts";
import { quote } from "../core/verify/quote.ts";
import { branch, leaf, type Verdict } from "../core/verify/verdict.ts";
import type { CommitContent } from "./check-content.ts";
import type { CheckDeps } from "./check-scene.ts";

const MOST_SHOWN = 20;
const MOST_SEARCHED = 16_000_000;

/**
 * What the import took and people should still look at before they merge: settings that decide what others' machines
 * run, attributes that hide a diff, names that look like others, text that can't be seen (T45). It fails nothing.
 */
export async function checkPublished(
  content: CommitContent,
  { onDoubt }: Pick<CheckDeps, "onDoubt">,
): Promise<Verdict | null> {
  const paths = [...(await content.changed())].sort();
  const named = paths.flatMap((path) => {
    const why = flagOf(path) ?? doubtIn(path);
    return why === null ? [] : [leaf("warned", visiblePath(path), `look at it before you merge: it ${why}`)];
  });
  const tell =
    (rule: RuleOf<"published">) =>
    ({ title, detail }: Verdict): void =>
      onDoubt?.({ wall: "published", rule, what: `${title}: ${detail ?? ""}` });
  const diffs = await hiddenDiffs(content, paths);
  const texts = await hiddenText(content, paths);
  for (const path of paths) {
    const why = doubtIn(path);
    if (why !== null) tell("odd-name")(leaf("warned", visiblePath(path), why));
  }
  diffs.forEach(tell("hidden-diff"));
  texts.forEach(tell("hidden-text"));
  const found = [...named, ...diffs, ...texts];
  if (found.length === 0) return null;
  const left = found.length - MOST_SHOWN;
  const more = left > 0 ? [leaf("warned", "more", `${left} more files to look at before you merge`)] : [];
  return branch("published files", [...found.slice(0, MOST_SHOWN), ...more]);
}

function doubtIn(path: string): string | null {
  for (const name of path.split("/")) {
    const why = doubtAbout(name);
    if (why !== null) return why;
  }
  return null;
}

async function hiddenText(content: CommitContent, paths: readonly string[]): Promise<Verdict[]> {
  if (paths.length === 0) return [];
  const { text, cut } = await content.diff(MOST_SEARCHED);
  const found = hiddenTextIn(text).map(({ path, what }) => leaf("warned", visiblePath(path), what));
  return cut === null
    ? found
    : [...found, leaf("warned", "hidden text", "the change is too large to be searched to its end")];
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
