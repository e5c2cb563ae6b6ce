import { describe, expect, it } from "vitest";
import { readMergeWords } from "../../../src/adapters/github/api/merge-words.ts";

describe("GitHub's words about a merge that it refuses", () => {
  it.each([
    ["Base branch was modified. Review and try the merge again.", "base-moved"],
    ["Squash merges are not allowed on this repository.", "method"],
    ["Pull Request is still a draft", "draft"],
    ["This branch has conflicts that must be resolved", "conflict"],
    ['Required status check "test" is expected.', "checks"],
    ["At least 1 approving review is required by reviewers with write access.", "review"],
    ["Pull Request is not mergeable", "not-mergeable"],
    ["The moon is in the wrong phase.", "policy"],
  ])("at once: %s", (said, why) => {
    expect(readMergeWords(said, "at-once")).toEqual({ why, detour: null });
  });

  it.each([
    ["Pull Request is not mergeable", "conflict"],
    ["The head branch was modified.", "head-moved"],
    ["Base branch was modified.", "base-moved"],
    ["The stack has conflicts", "conflict"],
    ["The moon is in the wrong phase.", "policy"],
  ])("later: %s", (said, why) => {
    expect(readMergeWords(said, "later")).toEqual({ why, detour: null });
  });

  it("name the way to take instead", () => {
    const detour = (said: string): string | null => readMergeWords(said, "at-once").detour;
    expect(detour("Changes must be made through the merge queue")).toBe("merge_queue");
    expect(detour("Pull request is part of a stack")).toBe("direct_merge");
  });
});
