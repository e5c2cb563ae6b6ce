import type { Identity } from "../../../ports/git.ts";

/** Who commits are from where no person has a name. */
export const LOOM_IDENTITY: Identity = { name: "Loom", email: "loom@localhost" };
