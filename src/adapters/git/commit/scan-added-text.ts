import { StringDecoder } from "node:string_decoder";
import type { Sha } from "../../../core/ids.ts";
import { findingTexts } from "../../../core/merge/finding-texts.ts";
import type { SecretHit, SecretScan } from "../../../core/merge/secret-scan.ts";
import type { FileChange, RepositoryGit } from "../../../ports/git.ts";
import type { ImportFinding } from "../../../ports/workspace.ts";

/** What a change adds that must not be published, by the blobs that it stands in. */
export type Leaks = {
  readonly blobs: ReadonlyMap<Sha, ReadonlySet<SecretHit["kind"]>>;
  /** Blobs that were read to their end; null: all were. */
  readonly read: ReadonlySet<Sha> | null;
};

/** Of a diff. A change that adds more is refused: what nobody can look through must not be published. */
const MOST_BYTES = 512 * 1024 * 1024;
/** So much is looked at in one go. */
const WINDOW_CHARS = 256 * 1024;
/** More than any secret takes, split by lines and encoded; it is looked at twice. */
const OVERLAP_CHARS = 16 * 1024;
const MOST_REMOVED = 10_000;
const LONGEST_HEADER = 4 * 1024;

/**
 * What a tree adds to its base that must not be published. Read from a diff, because what the base holds already is published,
 * as git prints it, because a change can be larger than memory. Binary files are read as well. A hit that the same change
 * removes elsewhere was only moved.
 *
 * Lines are joined before they are searched, so a secret that was broken into lines is whole again. Names are quoted, so that
 * none looks like a line of the diff.
 */
export async function scanAddedText(
  git: RepositoryGit,
  base: Sha,
  tree: Sha,
  secrets: SecretScan,
  mostBytes = MOST_BYTES,
): Promise<Leaks> {
  if (base === tree) return { blobs: new Map(), read: null };
  const reader = readDiff(secrets, mostBytes);
  const decoder = new StringDecoder("utf8");
  await git.diffs.show("scanning", base, tree, (chunk) => reader.take(decoder.write(chunk)));
  reader.take(decoder.end());
  return reader.leaks();
}

type Window = { readonly side: "added" | "removed"; text: string };

function readDiff(secrets: SecretScan, mostBytes: number) {
  const found = new Map<Sha, SecretHit[]>();
  const removed = new Set<string>();
  const read = new Set<Sha>();
  let blob: Sha = "";
  let inHeader = true;
  let windows = freshWindows();
  let chars = 0;

  const search = ({ side, text }: Window): void => {
    for (const hit of secrets.find(text)) {
      const key = `${hit.kind} ${hit.text.replace(/\s+/g, "")}`;
      if (side === "removed") {
        if (removed.size < MOST_REMOVED) removed.add(key);
      } else if (!found.get(blob)?.some((other) => other.text === key))
        found.set(blob, [...(found.get(blob) ?? []).slice(0, 99), { kind: hit.kind, text: key }]);
    }
  };
  const searchAll = (): void => {
    for (const window of [windows.added, windows.removed]) if (window.text !== "") search(window);
    windows = freshWindows();
  };
  const add = (window: Window, text: string): void => {
    window.text += text;
    if (window.text.length < WINDOW_CHARS) return;
    search(window);
    window.text = window.text.slice(-OVERLAP_CHARS);
  };

  // A line of the diff begins with a sign; a piece of a long one goes on as its beginning did.
  let sign = "";
  const takePiece = (piece: string, isStart: boolean, isEnd: boolean): void => {
    if (isStart) {
      sign = piece.slice(0, 1);
      if (piece.startsWith("diff --git ")) {
        searchAll();
        read.add(blob);
        blob = "";
        inHeader = true;
        return;
      }
      if (inHeader) {
        blob = /^index [0-9a-f]+\.\.([0-9a-f]+)/.exec(piece)?.[1] ?? blob;
        if (sign === "@") inHeader = false;
        return;
      }
    }
    if (inHeader || (sign !== "+" && sign !== "-")) return;
    const text = `${isStart ? piece.slice(1) : piece}${isEnd ? "\n" : ""}`;
    add(sign === "+" ? windows.added : windows.removed, text);
  };

  let carried = "";
  let isStart = true;
  return {
    take(chunk: string): void {
      // What comes behind is only counted, and refused.
      if (chars > mostBytes) return;
      const text = `${carried}${chunk}`;
      carried = "";
      chars += chunk.length;
      for (let from = 0; from < text.length; ) {
        const end = text.indexOf("\n", from);
        const piece = text.slice(from, end < 0 ? text.length : end);
        from += piece.length + 1;
        // A line that says which blob this is must not be read in two halves.
        if (end < 0 && isStart && piece.length < LONGEST_HEADER) carried = piece;
        else takePiece(piece, isStart, end >= 0);
        isStart = end >= 0 || carried !== "";
      }
    },
    leaks(): Leaks {
      if (carried !== "") takePiece(carried, true, true);
      searchAll();
      const blobs = [...found].map(([sha, hits]) => {
        const news = hits.filter(({ text }) => !removed.has(text));
        return [sha, new Set(news.map(({ kind }) => kind))] as const;
      });
      const leaks = new Map(blobs.filter(([, kinds]) => kinds.size > 0));
      return { blobs: leaks, read: chars > mostBytes ? read : null };
    },
  };
}

function freshWindows(): { added: Window; removed: Window } {
  return { added: { side: "added", text: "" }, removed: { side: "removed", text: "" } };
}

/** The same, by the paths that the change puts these blobs at; and paths that are a secret themselves. */
export function secretFindings(
  changes: readonly FileChange[],
  { blobs, read }: Leaks,
  { find, redact }: SecretScan,
): ImportFinding[] {
  const put = changes.filter(({ mode }) => mode !== null);
  const isPlaced = (sha: Sha): boolean => put.some((change) => change.sha === sha);
  // A leak whose place is unknown must not get through for that.
  const astray = [...blobs.keys()].some((sha) => !isPlaced(sha));
  return put.flatMap(({ path, oldMode, sha, oldSha }): ImportFinding[] => {
    const finding = (message: string): ImportFinding[] => [{ path, rule: "secret", message }];
    const shown = redact(path);
    if (oldMode === null && find(path).length > 0) return finding(findingTexts.secretInName(shown));
    const kinds = blobs.get(sha);
    if (kinds?.has("known") || astray) return finding(findingTexts.secretValue(shown));
    if (kinds?.has("looks")) return finding(findingTexts.secretLooks(shown));
    const isUnread = read !== null && sha !== oldSha && !read.has(sha);
    return isUnread ? finding(findingTexts.notScanned(shown, MOST_BYTES)) : [];
  });
}
