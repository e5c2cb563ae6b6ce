import type { PullIssue } from "../find.ts";
import type { Login, Repository } from "../types.ts";
import type { World } from "../world.ts";

const PLACES = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];

/** For each changed file that has owners, who they are; read from the base branch, where the author can't change it. */
export async function codeOwners(world: World, repository: Repository, issue: PullIssue): Promise<Login[][]> {
  const { git } = world;
  const { pull } = issue;
  const base = await git.tip(repository.gitDir, pull.baseRef);
  if (base === null) return [];
  const rules = await readRules(world, repository, base);
  const from = await git.mergeBase(repository.gitDir, base, pull.headSha);
  const files = await git.changedFiles(repository.gitDir, from, pull.headSha);
  return files
    .map((file) => rules.findLast((rule) => rule.pattern.test(file.path))?.owners ?? [])
    .filter((owners) => owners.length > 0);
}

async function readRules(
  world: World,
  repository: Repository,
  base: string,
): Promise<{ pattern: RegExp; owners: Login[] }[]> {
  for (const place of PLACES) {
    const entry = await world.git.entry(repository.gitDir, base, place);
    if (entry?.kind !== "file") continue;
    const text = Buffer.from((await world.git.blob(repository.gitDir, entry.sha)) ?? []).toString("utf8");
    return text.split("\n").flatMap((line) => {
      const [path, ...owners] = line.replace(/#.*/, "").trim().split(/\s+/);
      return path
        ? [{ pattern: patternOf(path), owners: owners.map((owner) => owner.replace(/^@/, "")) }]
        : [];
    });
  }
  return [];
}

/** A leading or inner slash ties it to the top; a folder means all below; `*` stays inside a name, `**` does not. */
function patternOf(path: string): RegExp {
  const tied = path.replace(/\/$/, "").includes("/");
  const source = path
    .replace(/^\//, "")
    .replace(/\/$/, "/**")
    .replaceAll(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("**", "\u0000")
    .replaceAll("*", "[^/]*")
    .replaceAll("?", "[^/]")
    .replaceAll("\u0000", ".*");
  return new RegExp(`${tied ? "^" : "(?:^|/)"}${source}(?:/.*)?$`);
}
