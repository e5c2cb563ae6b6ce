import type { Guide } from "../playground/model/world.ts";
import type { DemoWorld } from "./open-demo-world.ts";

/** From an issue to an approved plan; the terminal and the playground's first page both show it. */
export function firstSteps({ repository, issue }: Pick<DemoWorld, "repository" | "issue">): Guide {
  return {
    title: "Four steps to try",
    steps: [
      {
        kind: "open",
        path: `/${repository.owner}/${repository.name}/issues/${issue}`,
        name: `#${issue} ${repository.issues.get(issue)?.title ?? ""}`.trimEnd(),
      },
      { kind: "enter", where: "Comment there", text: "/loom run" },
      { kind: "enter", where: "Answer the planner's question there", text: "1a" },
      {
        kind: "enter",
        where: "On the plan's pull request, which Loom links, set the label",
        text: "loom: approve",
      },
    ],
  };
}
