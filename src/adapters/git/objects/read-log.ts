import { InternalError } from "../../../core/errors.ts";
import type { CommitNote, RepositoryGit } from "../../../ports/git.ts";

const FORMAT = ["%H", "%P", "%ce", "%B", trailer("Loom-Run"), trailer("Loom-Stage")].join("%x1f");

function trailer(key: string): string {
  return `%(trailers:key=${key},valueonly,separator=%x1e)`;
}

/** What git says of a range such as `a..b`, or with `only` of one commit; newest first. */
export async function readLog(
  trusted: RepositoryGit["trusted"],
  range: string,
  how: "first-parent" | "all" | "only",
): Promise<readonly CommitNote[]> {
  const { stdout } = await trusted({
    command: "log",
    options: [
      "-z",
      `--format=${FORMAT}`,
      ...(how === "first-parent" ? ["--first-parent"] : []),
      ...(how === "only" ? ["--max-count=1"] : []),
    ],
    values: [range],
    paths: [],
  });
  return stdout
    .split("\0")
    .filter((record) => record !== "")
    .map((record) => {
      const [commit, parents, committer, message, runs, stages] = record.split("\x1f");
      if (commit === undefined || stages === undefined)
        throw new InternalError("a line of git log that is not whole");
      return {
        commit,
        parents: words(parents ?? "", " "),
        committer: committer ?? "",
        message: message ?? "",
        runs: words(runs ?? "", "\x1e"),
        stages: words(stages, "\x1e"),
      };
    });
}

function words(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((word) => word.trim())
    .filter((word) => word !== "");
}
