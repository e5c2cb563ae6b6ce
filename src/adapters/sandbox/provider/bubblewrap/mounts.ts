/** One thing that can be seen inside of a sandbox; nothing else is there. */
export type Mount =
  /** A file or folder of the machine, as it is. */
  | { readonly kind: "read" | "write"; readonly from: string; readonly at: string }
  | { readonly kind: "link"; readonly to: string; readonly at: string }
  /** A folder in memory: to write in, or to hide what would be there. */
  | { readonly kind: "scratch"; readonly at: string; readonly bytes: number }
  | { readonly kind: "hidden"; readonly at: string };

/** Mounts that belong together and stay in their order; all lie at or below `root`. */
export type MountGroup = { readonly root: string; readonly mounts: readonly Mount[] };

/** Outer ones first, since whatever is mounted later hides what lies below it. */
export function inOrder(groups: readonly MountGroup[]): Mount[] {
  const depth = (path: string): number => path.split("/").filter((part) => part !== "").length;
  return [...groups].sort((a, b) => depth(a.root) - depth(b.root)).flatMap((group) => group.mounts);
}
