/**
 * Folders that package managers fill and keep in step with the manifests by themselves. Between the two halves of a set-up
 * they stay in the tree; all else that the first half made there goes: output of a build that is older than the commit could
 * let checks pass that would fail in a clean checkout.
 */
export const KEPT_FOLDERS: ReadonlySet<string> = new Set([
  "node_modules",
  ".pnpm-store",
  ".venv",
  "venv",
  "vendor",
  "target",
  ".bundle",
  ".gradle",
  "deps",
]);
