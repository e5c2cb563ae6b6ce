import * as z from "zod";
import { UserError } from "../../../core/errors.ts";
import type { Sha } from "../../../core/ids.ts";
import { AccessLost } from "../../../ports/github/access-lost.ts";
import { readAnswer } from "../api/read-answer.ts";
import { findBranchTip } from "../git-facts.ts";
import type { Repository } from "../repository.ts";

const ROUTE = "GET /repos/{owner}/{repo}";

export async function defaultBranch(repository: Repository): Promise<{ name: string; tip: Sha }> {
  const reply = await repository.ask(ROUTE, {}, { answers: [404, 451] });
  if (reply.status >= 400) throw new AccessLost("repository-gone");
  const { default_branch: name } = readAnswer(z.object({ default_branch: z.string() }), reply, ROUTE);
  const tip = await findBranchTip(repository, name);
  if (tip === null) {
    throw new UserError("This repository has no commit yet.", {
      next: "Push a first commit, then try again.",
    });
  }
  return { name, tip };
}
