import { execFileSync } from "node:child_process";
import type { Repository } from "../../playground/model/types.ts";
import type { RunEvent } from "../../src/core/run/events.ts";

type Kind = RunEvent["type"];

/** For each stage, how long it took from one event to another, in milliseconds: as the runs' own records on the target tell it. */
export function timesBetween(repositories: readonly Repository[], from: Kind, to: Kind): number[] {
  return repositories.flatMap(({ gitDir, defaultBranch }) =>
    git(gitDir, "ls-tree", "-r", "--name-only", defaultBranch, ".loom")
      .filter((path) => path.endsWith("/history.jsonl"))
      .flatMap((path) => timesIn(git(gitDir, "show", `${defaultBranch}:${path}`), from, to)),
  );
}

function timesIn(lines: readonly string[], from: Kind, to: Kind): number[] {
  const begun = new Map<string, number>();
  return lines.flatMap((line) => {
    const { type, stage, at } = JSON.parse(line) as { type: Kind; stage?: string; at: string };
    if (stage === undefined) return [];
    if (type === from) begun.set(stage, Date.parse(at));
    const since = begun.get(stage);
    return type === to && since !== undefined ? [Date.parse(at) - since] : [];
  });
}

/** The lines of an answer. */
export function git(cwd: string, ...args: string[]): string[] {
  return execFileSync("git", args, { cwd, encoding: "utf8", maxBuffer: 256 * 1024 ** 2 })
    .split("\n")
    .filter((line) => line !== "");
}
