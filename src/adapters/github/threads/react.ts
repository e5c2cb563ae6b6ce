import type { Repository } from "../repository.ts";

/** A reaction that stands already is not set twice by GitHub; one to a comment that is gone is of no use to anybody. */
export async function react(
  repository: Repository,
  to: { comment: number } | { remark: number } | { issue: number },
  content: "eyes" | "confused" | "rocket",
): Promise<void> {
  const how = { repeat: true, answers: [404, 410] };
  if ("comment" in to) {
    const route = "POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions";
    await repository.ask(route, { comment_id: to.comment, content }, how);
  } else if ("remark" in to) {
    const route = "POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions";
    await repository.ask(route, { comment_id: to.remark, content }, how);
  } else {
    const route = "POST /repos/{owner}/{repo}/issues/{issue_number}/reactions";
    await repository.ask(route, { issue_number: to.issue, content }, how);
  }
}
