import type { Login } from "../types.ts";

/** Who does it. For an App that acts through its installation, `by` is its bot account. */
export type Actor = { readonly by: Login; readonly viaApp?: number | null };
