import { readFileSync } from "node:fs";
import { join } from "node:path";
import { addComment } from "../playground/model/issues/add-comment.ts";
import { closeIssue } from "../playground/model/issues/close-issue.ts";
import { createLabel } from "../playground/model/issues/create-label.ts";
import { openIssue } from "../playground/model/issues/open-issue.ts";
import { createRepository } from "../playground/model/people/create-repository.ts";
import { createUser } from "../playground/model/people/create-user.ts";
import { setRole } from "../playground/model/people/set-role.ts";
import type { Repository } from "../playground/model/types.ts";
import type { Playground } from "../playground/server.ts";
import { DEFAULT_REPOSITORY_CONFIG } from "../src/core/config/repository/repository-config.ts";
import { readFolder } from "./read-folder.ts";

/** Who is who; sam is a stranger, who may read and comment like everybody. */
export const PEOPLE = [
  { login: "ada", name: "Ada", role: "admin" },
  { login: "wes", name: "Wes", role: "write" },
  { login: "tia", name: "Tia", role: "triage" },
  { login: "rae", name: "Rae", role: "read" },
  { login: "sam", name: "Sam", role: "none" },
] as const;

const CONFIG = `# How Loom works in this repository. Everything has a default; see the README for all settings.
version: 1
harness: scripted
merge:
  # Loom merges a stage once it is proved. The default is review: then people merge.
  mode: auto
limits:
  max_parallel: 2
  timeout_secs: 300
  budget_usd: 5
`;

export type Furnished = {
  readonly repository: Repository;
  /** The issue that the demo's plan is for. */
  readonly issue: number;
};

/** The people, a repository with the sample project, and what a project's issues look like after a while. */
export async function furnish(github: Playground, home: string): Promise<Furnished> {
  const { world } = github;
  for (const { login, name } of PEOPLE) createUser(world, { login, name });
  const repository = await createRepository(world, {
    owner: "ada",
    name: "wordcount",
    description: "Says which words a text uses most.",
    gitDir: github.gitDir("ada", "wordcount"),
    deleteBranchOnMerge: false,
    files: { ...readFolder(join(home, "sample")), ".github/loom.yml": CONFIG },
  });
  for (const { login, role } of PEOPLE) if (role !== "none") setRole(world, repository, { login, role });
  for (const [name, color, description] of LABELS)
    createLabel(world, repository, { by: "ada", name, color, description });
  const question = openIssue(world, repository, {
    by: "rae",
    title: "Do numbers count as words?",
    body: 'In "route 66" I would expect two words. Is that the plan?',
  });
  addComment(world, repository, question, {
    by: "ada",
    body: "Yes: digits belong to words, and so do apostrophes.",
  });
  addComment(world, repository, question, { by: "rae", body: "Thank you!" });
  closeIssue(world, repository, question, { by: "rae" });
  const { number } = openIssue(world, repository, {
    by: "wes",
    title: "Say which words a text uses most",
    body: WISH,
    labels: ["enhancement"],
  });
  openIssue(world, repository, {
    by: "ada",
    title: "Tell newcomers how to help",
    body: readFileSync(join(home, "NEWCOMERS.md"), "utf8"),
    labels: ["documentation"],
  });
  return { repository, issue: number };
}

const { approval, labels } = DEFAULT_REPOSITORY_CONFIG;

/** Loom would make them when it needs them; whoever approves wants to find theirs in the list before. */
const LABELS = [
  [approval.label, "1a7f37", "Approves the plan of this pull request"],
  [labels.planReview, "bf8700", "The plan waits for approval"],
  [labels.approved, "2da44e", "Somebody approved the plan"],
  [labels.running, "0969da", "Agents are working"],
  [labels.needsHuman, "bc4c00", "Somebody has to act"],
  [labels.blocked, "cf222e", "Stopped until a person helps"],
  [labels.done, "8250df", "Everything planned is merged"],
] as const;

const WISH = `\`wordcount\` should read a text and say

- how many words it has,
- which five it uses most, and how often,
- which three are the longest.

It should work as a package and as a command:

    printf 'a rose is a rose' | node src/cli.js

Please keep the parts small and tested, so that somebody else can use only one of them.
`;
