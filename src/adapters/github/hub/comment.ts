import { z } from "zod";
import { InternalError } from "../../../core/errors.ts";
import { findOrMake } from "../api/find-or-make.ts";
import { readAnswer } from "../api/read-answer.ts";
import { fitBody } from "../fit-body.ts";
import type { Repository } from "../repository.ts";

const LIST = "GET /repos/{owner}/{repo}/issues/{issue_number}/comments";
const MAKE = "POST /repos/{owner}/{repo}/issues/{issue_number}/comments";
const ONE = "GET /repos/{owner}/{repo}/issues/comments/{comment_id}";
const EDIT = "PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}";

const SHAPE = z.object({
  id: z.number(),
  body: z.string().nullish(),
  user: z.object({ login: z.string() }).nullish(),
});

/** The marker is the last line, where no text that Loom quotes can stand. */
const MARKER = /\n<!-- loom:[\w./@-]+ -->\s*$/;

export async function comment(
  repository: Repository,
  number: number,
  key: string,
  body: string,
): Promise<{ comment: number }> {
  if (!/^[\w./@-]+$/.test(key)) throw new InternalError(`${JSON.stringify(key)} can't mark a comment`);
  const marker = `<!-- loom:${key} -->`;
  const text = fitBody(body, `\n\n${marker}`);
  let isNew = false;
  const found = await findOrMake(
    async () => {
      const all = await repository.list(LIST, { issue_number: number }, SHAPE);
      return (
        all.find(
          // What anybody else wrote is no mark of Loom's, whatever it looks like.
          (one) => one.user?.login === repository.app.botLogin && one.body?.trimEnd().endsWith(`\n${marker}`),
        ) ?? null
      );
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
export async function editComment(
  repository: Repository,
  id: number,
  body: string,
): Promise<"edited" | "gone"> {
  const reply = await repository.ask(ONE, { comment_id: id }, { answers: [404, 410] });
  if (reply.status >= 400) return gone(repository);
  const before = readAnswer(SHAPE, reply, ONE).body ?? "";
  const text = fitBody(body, MARKER.exec(before)?.[0].trim().replace(/^/, "\n\n") ?? "");
  if (sameText(before, text)) return "edited";
  const edited = await repository.ask(
    EDIT,
    { comment_id: id, body: text },
    { repeat: true, answers: [404, 410] },
  );
  return edited.status >= 400 ? gone(repository) : "edited";
}

async function gone(repository: Repository): Promise<"gone"> {
  await repository.assertReachable();
  return "gone";
}

/** GitHub may store other line ends than it was given. */
function sameText(one: string | null | undefined, other: string): boolean {
  return (one ?? "").replaceAll("\r\n", "\n").trimEnd() === other.trimEnd();
}
