import * as z from "zod";
import type { IssueFacts } from "../../../ports/github/threads.ts";
import { readAnswer } from "../api/read-answer.ts";
import type { Repository } from "../repository.ts";

const ROUTE = "GET /repos/{owner}/{repo}/issues/{issue_number}";
const SHAPE = z.object({
  number: z.number(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.string(),
  user: z.object({ login: z.string() }).nullish(),
  pull_request: z.unknown().optional(),
});

export async function readIssue(repository: Repository, number: number): Promise<IssueFacts | null> {
  const reply = await repository.ask(ROUTE, { issue_number: number }, { answers: [404, 410] });
  if (reply.status >= 400) {
    await repository.assertReachable();
    return null;
  }
  const issue = readAnswer(SHAPE, reply, ROUTE);
  return {
    number: issue.number,
    title: issue.title,
    body: issue.body ?? "",
    author: issue.user?.login ?? "ghost",
    open: issue.state === "open",
    isPullRequest: issue.pull_request != null,
  };
}
