import * as z from "zod";
import type { ThreadComment } from "../../../ports/github/threads.ts";
import { readAnswer } from "../api/read-answer.ts";
import { fitBody } from "../fit-body.ts";
import type { Repository } from "../repository.ts";

const LIST = "GET /repos/{owner}/{repo}/issues/{issue_number}/comments";
const PER_PAGE = 100;
const MOST = 300;
const BODY_CHARS = 20_000;
const PAGES = 100;

const SHAPE = z.object({
  id: z.number(),
  body: z.string().nullish(),
  created_at: z.string(),
  updated_at: z.string().nullish(),
  user: z.object({ login: z.string() }).nullish(),
});

type Item = z.infer<typeof SHAPE>;

/**
 * Oldest first. GitHub gives no other order, so that the newest of a long thread are on its last pages. Which those are
 * is only a hint where to begin: a first page that has not changed is answered from memory, with what it said then.
 */
export async function readThread(repository: Repository, number: number): Promise<readonly ThreadComment[]> {
  const read = (page: number) =>
    repository.ask(LIST, { issue_number: number, per_page: PER_PAGE, page }, { answers: [404, 410] });
  const first = await read(1);
  if (first.status >= 400) {
    await repository.assertReachable();
    return [];
  }
  const items = z.array(SHAPE);
  const readFrom = async (start: number): Promise<Item[]> => {
    let page = readAnswer(items, first, LIST);
    const all = start <= 2 ? [...page] : [];
    for (let at = start; at < start + PAGES && page.length === PER_PAGE; at += 1) {
      page = readAnswer(items, await read(at), LIST);
      all.push(...page);
    }
    return all;
  };
  const start = Math.max(2, lastPage(first.headers.link) - MOST / PER_PAGE);
  const found = await readFrom(start);
  const all = found.length < MOST && start > 2 ? await readFrom(2) : found;
  return all.slice(-MOST).map((item) => commentOf(repository, item));
}

function commentOf({ app }: Repository, { id, body, created_at, updated_at, user }: Item): ThreadComment {
  return {
    id,
    kind: "thread",
    place: null,
    author: user?.login ?? "ghost",
    at: created_at,
    body: fitBody(body ?? "", "", BODY_CHARS),
    own: user?.login === app.botLogin,
    editedAt: updated_at && updated_at !== created_at ? updated_at : null,
  };
}

function lastPage(link = ""): number {
  return Number(/[?&]page=(\d+)[^>]*>; rel="last"/.exec(link)?.[1] ?? 1);
}
