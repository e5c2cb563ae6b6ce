import { expect } from "vitest";
import type { Canned } from "./canned.ts";

export const ISSUE = "GET /repos/{owner}/{repo}/issues/{issue_number}";
export const COMMENT = "POST /repos/{owner}/{repo}/issues/{issue_number}/comments";
export const at = { owner: "o", repo: "r", issue_number: 1 };
export const clientOf = ({ app }: Canned) => app.installationClient({ installation: 7, repositoryId: 99 });

export async function thrown(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.fail("it did not throw"),
    (error) => error,
  );
}
