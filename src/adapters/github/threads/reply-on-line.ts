import * as z from "zod";
import { findOrMake } from "../api/find-or-make.ts";
import { readAnswer } from "../api/read-answer.ts";
import type { Repository } from "../repository.ts";
import { marked, markedKey, sameText } from "./marker.ts";

const LIST = "GET /repos/{owner}/{repo}/pulls/{pull_number}/comments";
const MAKE = "POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies";
const EDIT = "PATCH /repos/{owner}/{repo}/pulls/comments/{comment_id}";

const SHAPE = z.object({
  id: z.number(),
  body: z.string(),
  user: z.object({ login: z.string() }).nullish(),
});
type Reply = z.infer<typeof SHAPE>;

export type LineReply = {
  readonly number: number;
  readonly key: string;
  readonly body: string;
  /** The remark that began the conversation. */
  readonly below: number;
};

/** The same as a comment in the thread, but in a conversation on a line; null when that is gone. */
export async function replyOnLine(
  repository: Repository,
  { number, key, body, below }: LineReply,
): Promise<{ comment: number } | null> {
  const text = marked(body, key);
  let isNew = false;
  const found = await findOrMake<Reply | "gone">(
    async () => {
      const all = await repository.list(LIST, { pull_number: number }, SHAPE);
      const isOwn = ({ user }: Reply) => user?.login === repository.app.botLogin;
      return all.find((one) => isOwn(one) && markedKey(one.body) === key) ?? null;
    },
    async () => {
      isNew = true;
      const wish = { pull_number: number, comment_id: below, body: text };
      const reply = await repository.ask(MAKE, wish, { answers: [404, 410, 422] });
      return reply.status >= 400 ? "gone" : readAnswer(SHAPE, reply, MAKE);
    },
    repository.pause,
  );
  if (found === "gone") return null;
  if (!isNew && !sameText(found.body, text))
    await repository.ask(EDIT, { comment_id: found.id, body: text }, { repeat: true });
  return { comment: found.id };
}
