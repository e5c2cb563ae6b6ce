import type { FailureKind } from "../failure/failure.ts";
import type { Errand } from "./errand.ts";
import { isAudit } from "./errand-kinds.ts";

/** What an agent found and did not put as it was asked to, when that is why an audit came to nothing; else null. */
export function unreadWords(
  { kind, failures }: Pick<Errand, "kind" | "failures">,
  why: FailureKind | null,
): string | null {
  if (!isAudit(kind) || why !== "contract-unmet") return null;
  return failures.at(-1)?.evidence ?? "";
}
