import type { Sha } from "../../core/ids.ts";
import type { MergeRules } from "../../core/merge/merge-rules.ts";
import type { FileReading } from "../workspace.ts";

/** What one repository on GitHub holds, without a work tree, and the rules of its branches. */
export interface Contents {
  defaultBranch(): Promise<{ readonly name: string; readonly tip: Sha }>;
  /** As of a workspace. */
  examineFile(at: Sha, path: string, maxBytes: number): Promise<FileReading>;
  /** null when there is no such regular file there, or it is larger than `maxBytes`. */
  readFile(at: Sha, path: string, maxBytes: number): Promise<string | null>;
  /** The git object of a file at a commit; null when there is none. */
  blobOf(at: Sha, path: string): Promise<Sha | null>;
  /** Makes commits of the repository readable here; throws when one can't be had. */
  fetch(commits: readonly Sha[]): Promise<void>;
  /** Rules of the target that make merging slow or that Loom has to fit: required reviews, checks, queue, methods. */
  rules(branch: string): Promise<MergeRules>;
}
