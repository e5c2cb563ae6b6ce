import { z } from "zod";
import { type Role, readRole } from "../../../core/command/role.ts";
import { readAnswer } from "../api/read-answer.ts";
import type { Repository } from "../repository.ts";

const ROUTE = "GET /repos/{owner}/{repo}/collaborators/{username}/permission";

/** `role_name` and not `permission`, which tells maintainers from writers and triagers from readers no more. */
export async function roleOf(repository: Repository, login: string): Promise<Role> {
  const reply = await repository.ask(ROUTE, { username: login }, { answers: [404] });
  if (reply.status === 404) {
    await repository.assertReachable();
    return "none";
  }
  return readRole(readAnswer(z.object({ role_name: z.string() }), reply, ROUTE).role_name);
}
