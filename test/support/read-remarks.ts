import type { Repository } from "../../playground/model/types.ts";

/** A conversation on a line, as a person sees it. */
export type ShownRemark = {
  readonly path: string;
  /** `12`, `10-12`, or `outdated`. */
  readonly lines: string;
  readonly resolved: boolean;
  /** Who wrote what, oldest first; hidden markers are left out, as on the page. */
  readonly said: readonly string[];
};

/** The conversations on a pull request's lines, in order of file and line. */
export function readRemarks(repository: Repository, number: number): ShownRemark[] {
  const threads = repository.issues.get(number)?.pull?.threads ?? [];
  return [...threads]
    .sort((one, other) =>
      one.path === other.path ? one.original.line - other.original.line : one.path < other.path ? -1 : 1,
    )
    .map(({ path, place, resolvedBy, comments }) => ({
      path,
      lines:
        place === null ? "outdated" : [place.startLine, place.line].filter((line) => line !== null).join("-"),
      resolved: resolvedBy !== null,
      said: comments.map(({ author, body }) => `${author}: ${body.replaceAll(/\s*<!--[\s\S]*?-->/g, "")}`),
    }));
}

/** What somebody said in reviews as a whole; answers on lines are none. */
export function readReviews(repository: Repository, number: number, author: string): string[] {
  const reviews = repository.issues.get(number)?.pull?.reviews ?? [];
  return reviews
    .filter((review) => review.author === author && review.body !== "")
    .map(({ body }) => body.replaceAll(/\s*<!--[\s\S]*?-->/g, ""));
}
