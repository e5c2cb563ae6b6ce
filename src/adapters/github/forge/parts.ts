import type { Sha } from "../../../core/ids.ts";
import type { Identity } from "../../../ports/git.ts";
import type { Repository } from "../repository.ts";

export type GitHubForgeConfig = {
  readonly mode: "auto" | "review";
  /** null: the first that the repository allows, of squash, merge, rebase. */
  readonly method: "squash" | "merge" | "rebase" | null;
  readonly stack: "auto" | "chained" | "native";
  readonly deleteBranches: boolean;
};

export type GitHubForgeParts = {
  readonly repository: Repository;
  readonly target: string;
  readonly config: GitHubForgeConfig;
  readonly identity: Identity;
  targetTip(): Promise<Sha>;
};
