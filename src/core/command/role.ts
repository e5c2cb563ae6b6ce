/** A person's role in a repository, least first, as GitHub's `role_name` has it. */
export const ROLES = ["none", "read", "triage", "write", "maintain", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** Organisations name roles of their own, and nobody here knows what those may do: they count as none (T1). */
export function readRole(name: string | null): Role {
  return ROLES.find((role) => role === name) ?? "none";
}

export function isAtLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}
