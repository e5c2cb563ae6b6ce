import * as z from "zod";
import { findOrMake } from "../api/find-or-make.ts";
import { readAnswer } from "../api/read-answer.ts";
import type { Repository } from "../repository.ts";
import { editUnlessGone } from "./edit-unless-gone.ts";
import { marked, markedKey, sameText } from "./marker.ts";

const LIST = "GET /repos/{owner}/{repo}/issues/{issue_number}/comments";
const MAKE = "POST /repos/{owner}/{repo}/issues/{issue_number}/comments";
const ONE = "GET /repos/{owner}/{repo}/issues/comments/{comment_id}";
const EDIT = "PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}";

const SHAPE = z.object({
  id: z.number(),
  body: z.string().nullish(),
  user: z.object({ login: z.string() }).nullish(),
});

export async function comment(
  repository: Repository,
  number: number,
  key: string,
  body: string,
): Promise<{ comment: number }> {
  const text = marked(body, key);
  let isNew = false;
  const found = await findOrMake(
    async () => {
      const all = await repository.list(LIST, { issue_number: number }, SHAPE);
      // What anybody else wrote is no mark of Loom's, whatever it looks like.
      const isOwn = (one: z.infer<typeof SHAPE>) => one.user?.login === repository.app.botLogin;
      return all.find((one) => isOwn(one) && markedKey(one.body) === key) ?? null;
    },
    async () => {
      isNew = true;
      return readAnswer(SHAPE, await repository.ask(MAKE, { issue_number: number, body: text }), MAKE);
    },
    repository.pause,
  );
  if (!isNew && !sameText(found.body, text)) {
    await repository.ask(EDIT, { comment_id: found.id, body: text }, { repeat: true });
  }
  return { comment: found.id };
}

/** Keeps the marker, by which the comment is found when its number was lost. */
export function editComment(repository: Repository, id: number, body: string): Promise<"edited" | "gone"> {
  return editUnlessGone(repository, { read: ONE, edit: EDIT }, { comment_id: id }, () => body);
}
