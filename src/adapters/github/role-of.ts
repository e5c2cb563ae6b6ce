import * as z from "zod";
import type { Person } from "../../core/command/delivery.ts";
import { type Role, readRole } from "../../core/command/role.ts";
import { auditTexts } from "../../core/report/audit/audit-texts.ts";
import { readAnswer } from "./api/read-answer.ts";
import type { Repository } from "./repository.ts";

const ROUTE = "GET /repos/{owner}/{repo}/collaborators/{username}/permission";

const SHAPE = z.object({ role_name: z.string(), user: z.object({ id: z.int() }).nullish() });

/** `role_name` and not `permission`, which tells maintainers from writers and triagers from readers no more. */
export async function roleOf(repository: Repository, { login, id }: Person): Promise<Role> {
  const reply = await repository.ask(ROUTE, { username: login }, { answers: [404] });
  if (reply.status === 404) {
    await repository.assertReachable();
    return "none";
  }
  const { role_name: role, user } = readAnswer(SHAPE, reply, ROUTE);
  if (user?.id === id) return readRole(role);
  repository.audit.refused({ boundary: "command", rule: "account", who: login, what: auditTexts.account() });
  return "none";
}
