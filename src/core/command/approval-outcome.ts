import type { Sha } from "../ids.ts";
import type { Role } from "./role.ts";

/** How it went when somebody approved a plan. */
export type ApprovalOutcome =
  | { readonly kind: "approved"; readonly head: Sha }
  | { readonly kind: "already"; readonly by: string }
  | { readonly kind: "role"; readonly least: Role }
  | { readonly kind: "no-plan" }
  | { readonly kind: "ended" }
  | { readonly kind: "closed" }
  /** The plan's branch is not the App's own, or lies in a fork (T6). */
  | { readonly kind: "foreign" }
  | { readonly kind: "moved"; readonly seen: string; readonly head: Sha }
  /** It was said before the plan that stands there now was to be seen (T33). */
  | { readonly kind: "older"; readonly head: Sha }
  /** Somebody pushed to it since Loom opened it, and no commit was named. */
  | { readonly kind: "pushed"; readonly head: Sha }
  /** It approved this plan before, and does not do so again. */
  | { readonly kind: "used"; readonly head: Sha }
  /** Another plan than Loom has checked; `problems`: why it can't be followed, null: nobody has looked yet. */
  | { readonly kind: "changed"; readonly head: Sha; readonly problems: readonly string[] | null };
