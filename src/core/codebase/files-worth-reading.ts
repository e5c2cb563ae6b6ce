import { isWorkflow } from "./ci-commands.ts";
import { isOwn, traitsOf } from "./folder-traits.ts";
import { isManifest } from "./known-files.ts";
import { shallowest } from "./shallowest.ts";

const MOST = 40;
const MOST_MANIFESTS = 28;
/** Besides manifests, what `mapCodebase` looks into; at the root. */
const CONFIGURATION = new Set(["makefile", "justfile", ".gitattributes"]);
const REQUIREMENTS = /^requirements(?:[-_/][\w.-]{1,40})?\.txt$/;

/**
 * The files whose content the map is made from, those at the top first. Lock files and the settings of linters tell
 * enough by their names; what documents say is read as knowledge. Nothing that could hold a secret is among them.
 */
export function filesWorthReading(paths: readonly string[]): readonly string[] {
  const manifests: string[] = [];
  const others: string[] = [];
  for (const path of paths) {
    const cut = path.lastIndexOf("/") + 1;
    const name = path.slice(cut).toLowerCase();
    if (isManifest(name)) {
      if (isOwn(traitsOf(path.slice(0, cut).toLowerCase()))) manifests.push(path);
    } else if (CONFIGURATION.has(path.toLowerCase()) || REQUIREMENTS.test(path) || isWorkflow(path))
      others.push(path);
  }
  const first = shallowest(manifests, MOST_MANIFESTS);
  return [...first, ...shallowest(others, MOST - first.length)];
}
