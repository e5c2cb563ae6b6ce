import * as z from "zod";
import { readAnswer } from "../api/read-answer.ts";
import type { Repository } from "../repository.ts";
import { markedAsBefore, sameText } from "./marker.ts";

const SHAPE = z.object({ body: z.string().nullish(), user: z.object({ login: z.string() }).nullish() });

/**
 * Writes another text into something of Loom's, which keeps its marker, and nothing where that text stands already. GitHub
 * would let an App change what people wrote: for Loom, that is not there.
 */
export async function editUnlessGone(
  repository: Repository,
  routes: { readonly read: string; readonly edit: string },
  which: Readonly<Record<string, number>>,
  write: (before: string) => string,
): Promise<"edited" | "gone"> {
  const reply = await repository.ask(routes.read, which, { answers: [404, 410] });
  if (reply.status >= 400) return gone(repository);
  const { body, user } = readAnswer(SHAPE, reply, routes.read);
  if (user?.login !== repository.app.botLogin) return "gone";
  const before = body ?? "";
  const text = markedAsBefore(write(before), before);
  if (sameText(before, text)) return "edited";
  const how = { repeat: true, answers: [404, 410] };
  const edited = await repository.ask(routes.edit, { ...which, body: text }, how);
  return edited.status >= 400 ? gone(repository) : "edited";
}

async function gone(repository: Repository): Promise<"gone"> {
  await repository.assertReachable();
  return "gone";
}
