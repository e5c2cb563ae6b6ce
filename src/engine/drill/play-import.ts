import { type AttackId, notPlayed, type Outcome, outcomeOf, type Played } from "../../core/drill/attack.ts";
import type { Plant } from "../../core/drill/task.ts";
import { messageOf } from "../../core/errors.ts";
import type { CommitOutcome, CommitSpec, Workspace, WorkTree } from "../../ports/workspace.ts";
import { readContent } from "../verify/check-content.ts";
import { checkPublished } from "../verify/check-published.ts";
import type { DrillWorld } from "./drill-world.ts";
import { HARMLESS, type HostileTree, hostileGitFolder, hostileSettings } from "./hostile-tree.ts";

/** Programs that Loom starts on the host; planted under these names, none of them may run. */
const PROGRAMS = ["git", "node", "sh", "bwrap", "ps", "env", "mkfifo", "rm", "unshare", "setpriv"];

type Hostile = keyof HostileTree;

/** Loom's own functions meet the tree of a hostile agent, and a git folder as such an agent would like to have it. */
export async function playImport(
  world: DrillWorld,
  workspace: Workspace,
  tree: WorkTree,
  hostile: HostileTree,
): Promise<Played[]> {
  const { ground, repository } = world;
  await plantPrograms(world, tree);
  const first = await importTree(world, workspace, tree);
  const restored = await workspace.restoreConfig(tree, repository.base);
  const configLeft = await leftOf(world, tree, hostile["agent-config"]);
  await plantGitFolder(world);
  const broke = await useAgain(world, tree);
  const published = new Set(first.files);
  const through = (attack: Hostile): string[] =>
    hostile[attack].map(({ path }) => path).filter((path) => published.has(path) && !first.flagged.has(path));
  const isFound = (name: string): boolean => {
    const path = world.findProgram(name, tree.path);
    return path !== null && [repository.root, tree.path].some((folder) => path.startsWith(`${folder}/`));
  };
  /** A program that ran may well be why the rest did not work. */
  const ofUse = (got: readonly string[]): Outcome =>
    got.length === 0 && broke !== null ? notPlayed(broke) : outcomeOf(got);
  const isImported = first.kind === "refused" && published.has(HARMLESS.path);
  const ofImport = (got: readonly string[]): Outcome =>
    isImported ? outcomeOf(got) : notPlayed("nothing was imported");
  const outcomes: Record<(typeof IMPORTED)[number], Outcome> = {
    "git-programs": ofUse((await ground.sprung("git-programs")) ? ["a program of the repository's"] : []),
    "search-path": ofUse([
      ...((await ground.sprung("search-path")) ? ["a planted program"] : []),
      ...PROGRAMS.filter(isFound),
    ]),
    links: ofImport([...through("links"), ...(await damaged(world))]),
    published: ofImport(through("published")),
    "agent-config": ofImport([
      ...through("agent-config"),
      ...configLeft,
      ...(restored.length === 0 ? ["all of it"] : []),
    ]),
    "odd-names": ofImport(through("odd-names")),
    secrets: ofImport(through("secrets")),
  };
  return IMPORTED.map((attack) => ({ attack, outcome: outcomes[attack] }));
}

export const IMPORTED = [
  "git-programs",
  "search-path",
  "links",
  "published",
  "agent-config",
  "odd-names",
  "secrets",
] as const satisfies readonly AttackId[];

async function plantPrograms({ ground, repository }: DrillWorld, tree: WorkTree): Promise<void> {
  const text = ground.trap("search-path");
  const inBin = (folder: string): Plant[] =>
    PROGRAMS.map((name) => ({ path: `${folder}/${name}`, text, runs: true }));
  await ground.plant(repository.root, [...inBin("node_modules/.bin"), ...inBin("bin")]);
  await ground.plant(tree.path, inBin("node_modules/.bin"));
}

/** As if a defence had fallen before: the second defence has to hold by itself. */
async function plantGitFolder({ ground, repository: { gitDir } }: DrillWorld): Promise<void> {
  const program = `${gitDir}/hooks/post-checkout`;
  const settings = hostileSettings(program);
  const include = `[includeIf "gitdir:**"]\n\tpath = ${gitDir}/drill-include\n`;
  await ground.plant(gitDir, [
    ...hostileGitFolder(ground.trap("git-programs"), settings),
    { path: "config", text: `${(await ground.read(`${gitDir}/config`)) ?? ""}\n${settings}${include}` },
  ]);
}

type Imported = {
  readonly kind: CommitOutcome["kind"];
  /** What would be published. */
  readonly files: readonly string[];
  /** What people are told to look at. */
  readonly flagged: ReadonlySet<string>;
};

/** Once as at the end of a session, which refuses; then as work in progress is kept, which leaves out what is refused. */
async function importTree(world: DrillWorld, workspace: Workspace, tree: WorkTree): Promise<Imported> {
  const spec = specOf(world);
  const { kind } = await workspace.commit(tree, { ...spec, onForbidden: "refuse" });
  const kept = await workspace.commit(tree, { ...spec, onForbidden: "strip" });
  if (kept.kind !== "committed") return { kind, files: [], flagged: new Set() };
  const at = { commit: kept.commit, base: world.repository.base, workingDir: "." };
  const verdict = await checkPublished(readContent({ workspace, patterns: world.patterns }, at), {});
  return { kind, files: kept.files, flagged: new Set(verdict?.children.map(({ title }) => title)) };
}

/**
 * Each thing that Loom does with git between two sessions, in a repository whose settings name programs. It is opened as by
 * the next `loom`, with the tree itself on its PATH. Resolves with what went wrong; null: all of it could be done.
 */
async function useAgain(world: DrillWorld, hostile: WorkTree): Promise<string | null> {
  const { base } = world.repository;
  try {
    const workspace = await world.openWorkspace(hostile.path);
    const tree = await workspace.open(base);
    await world.ground.plant(tree.path, [{ path: "more.txt", text: "more\n" }]);
    const made = await workspace.commit(tree, { ...specOf(world), onForbidden: "refuse" });
    if (made.kind !== "committed") return "an ordinary change was not committed";
    const other = await workspace.commitFiles({ base, files: { "other.txt": "other\n" }, message: "Other" });
    const moved = await workspace.transplant(made.commit, other);
    if (moved.kind !== "clean") return "an ordinary change was not merged";
    await workspace.join([made.commit, other]);
    await workspace.diff(base, moved.commit, { maxBytes: 10_000 });
    await workspace.fill(tree, moved.commit);
    await workspace.restoreConfig(tree, base);
    await workspace.restoreTracked(tree, new Set());
    const mark = workspace.mark(tree, new Set());
    if (mark) await workspace.setBack(tree, mark);
    await workspace.close(tree);
    return null;
  } catch (error) {
    return messageOf(error).split("\n")[0] ?? "";
  }
}

function specOf({ repository }: DrillWorld): Omit<CommitSpec, "onForbidden"> {
  return { base: repository.base, message: "Drill", protect: ["PLAN.md"], allowEmpty: false };
}

async function leftOf({ ground }: DrillWorld, tree: WorkTree, plants: readonly Plant[]): Promise<string[]> {
  const found = await Promise.all(plants.map(({ path }) => ground.exists(`${tree.path}/${path}`)));
  return plants.filter((_, index) => found[index]).map(({ path }) => path);
}

/** Through a link, Loom could have written or removed what lies outside. */
async function damaged({ ground }: DrillWorld): Promise<string[]> {
  const files = ["secret.txt", "neighbour/secret.txt"].map((path) => `${ground.outside}/${path}`);
  const texts = await Promise.all(files.map((path) => ground.read(path)));
  return files.filter((_, index) => texts[index] !== `${ground.canary}\n`);
}
