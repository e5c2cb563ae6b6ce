import { escapeHtml } from "../html.ts";

export type References = {
  /** Address of a repository, such as /ada/shop, or null when the text belongs to none. */
  readonly repository: string | null;
  isUser(login: string): boolean;
  isIssue(number: number): boolean;
};

const ENTITY = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|\w+);/;
const REFERENCE = new RegExp(
  `(${ENTITY.source})|(?<![\\w&/#])#(\\d{1,9})(?!\\w)|(?<![\\w@/])@([A-Za-z\\d][A-Za-z\\d-]{0,38}(?:\\[bot\\])?)|(?<![\\w/-])([\\da-f]{40}|(?=[a-f]*\\d)(?=\\d*[a-f])[\\da-f]{7,12})(?![\\w/-])`,
  "g",
);

/** Escapes plain text and turns #12, @somebody and commit SHAs in it into links. */
export function linkReferences(text: string, references: References): string {
  let result = "";
  let done = 0;
  for (const match of text.matchAll(REFERENCE)) {
    const [all, entity, number, login, sha] = match;
    const markup = entity ?? linkTo(all, number, login, sha, references);
    if (markup === null) continue;
    result += escapeHtml(text.slice(done, match.index)) + markup;
    done = match.index + all.length;
  }
  return result + escapeHtml(text.slice(done));
}

function linkTo(
  text: string,
  number: string | undefined,
  login: string | undefined,
  sha: string | undefined,
  { repository, isIssue, isUser }: References,
): string | null {
  if (login !== undefined) {
    return isUser(login)
      ? `<a class="mention" href="/${escapeHtml(encodeURIComponent(login))}">${escapeHtml(text)}</a>`
      : null;
  }
  if (repository === null) return null;
  const home = escapeHtml(repository);
  if (number !== undefined)
    return isIssue(Number(number)) ? `<a href="${home}/issues/${number}">${text}</a>` : null;
  if (sha !== undefined) return `<a class="sha" href="${home}/commit/${sha}">${sha.slice(0, 7)}</a>`;
  return null;
}
