import type { z } from "zod";
import { GitHubFailure } from "./failure.ts";
import type { Reply } from "./send.ts";

/** Takes from an answer what Loom counts on; anything more in it is of no interest. */
export function readAnswer<T>(shape: z.ZodType<T>, reply: Reply, route: string): T {
  const parsed = shape.safeParse(reply.data);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues.map((issue) => issue.path.join(".") || "the whole answer");
  const detail = `unexpected at ${[...new Set(where)].slice(0, 5).join(", ")}`;
  throw new GitHubFailure({ route, status: 0, detail, unsure: !route.startsWith("GET ") });
}
