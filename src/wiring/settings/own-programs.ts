import { isAbsolute, join, relative, sep } from "node:path";
import { realPath } from "../../adapters/os/real-path.ts";
import { packageRoot } from "../folders/package-root.ts";

/**
 * Paths in a repository that Loom itself runs from, such as `dist` where it works on its own sources, or a node that came
 * with the project: an agent that changed them would be run by the next `loom`, outside of every sandbox (T29).
 */
export function ownPrograms(root: string | null, node: string = process.execPath): readonly string[] {
  if (root === null) return [];
  const home = packageRoot();
  const real = realPath(root);
  return [join(home, "dist"), join(home, "node_modules"), node].flatMap((path) => {
    const inside = relative(real, realPath(path));
    const isOutside = inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside);
    return isOutside ? [] : [inside.split(sep).join("/")];
  });
}
