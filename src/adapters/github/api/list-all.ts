import * as z from "zod";
import type { Ask } from "./ask.ts";
import { readAnswer } from "./read-answer.ts";
import type { Parameters } from "./send.ts";

const PER_PAGE = 100;
/** GitHub itself ends most lists before. */
const PAGES = 100;

/** All pages of a list; `field` names the array where the answer wraps it. */
export async function listAll<T>(
  ask: Ask,
  route: string,
  parameters: Parameters,
  item: z.ZodType<T>,
  field?: string,
): Promise<T[]> {
  const all: T[] = [];
  const list = z.array(item);
  const shape =
    field === undefined ? list : z.object({ [field]: list }).transform((answer) => answer[field] ?? []);
  for (let page = 1; page <= PAGES; page += 1) {
    const reply = await ask(route, { ...parameters, per_page: PER_PAGE, page });
    const items = readAnswer(shape, reply, route);
    all.push(...items);
    if (items.length < PER_PAGE) break;
  }
  return all;
}
