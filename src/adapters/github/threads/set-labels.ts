import * as z from "zod";
import type { Repository } from "../repository.ts";

const LIST = "GET /repos/{owner}/{repo}/issues/{issue_number}/labels";
const ADD = "POST /repos/{owner}/{repo}/issues/{issue_number}/labels";
const REMOVE = "DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}";

/** Only what differs is written. A label that the repository lacks is made by GitHub when it is first used. */
export async function setLabels(
  repository: Repository,
  number: number,
  labels: { readonly add: readonly string[]; readonly remove: readonly string[] },
): Promise<void> {
  const present = await repository.list(LIST, { issue_number: number }, z.object({ name: z.string() }));
  const has = (name: string): boolean => present.some((label) => sameName(label.name, name));
  const added = labels.add.filter((name) => !has(name));
  const removed = labels.remove.filter(
    (name) => has(name) && !labels.add.some((kept) => sameName(kept, name)),
  );
  if (added.length > 0) await repository.ask(ADD, { issue_number: number, labels: added }, { repeat: true });
  for (const name of removed) {
    await repository.ask(REMOVE, { issue_number: number, name }, { repeat: true, answers: [404] });
  }
}

function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
