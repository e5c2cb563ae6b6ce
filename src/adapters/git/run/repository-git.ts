import { join } from "node:path";
import { parseSettings, type Setting } from "../../../core/config/git-settings.ts";
import { refusedFile, refusedFilter } from "../../../core/config/settings/refused-setting.ts";
import type {
  CheckoutPlace,
  Git,
  GitCall,
  GitObjects,
  GitPlace,
  Repository,
  RepositoryGit,
} from "../../../ports/git.ts";
import { hostPrograms } from "../../os/host-programs.ts";
import { liesInRepository } from "../../os/lies-in-repository.ts";
import { compareTrees } from "../merge/compare-trees.ts";
import { moveRefs } from "../mirror/move-refs.ts";
import { createHistory } from "../objects/history.ts";
import { writeLargeObject, writeLooseObject } from "../objects/loose-object.ts";
import { readLooseObject } from "../objects/read-loose-object.ts";
import { storeCommit } from "../objects/store-commit.ts";
import { createTreeStore, treeOf } from "../objects/tree-store.ts";
import { makeScratchFolder } from "../trees/scratch-folders.ts";
import { createTrustedDirectory } from "../trees/trusted-directory.ts";
import { GitFailure } from "./git-failure.ts";
import { judgePrograms, type ProgramSettings } from "./program-settings.ts";

const LIST_SETTINGS: GitCall = {
  command: "config",
  options: ["--list", "-z", "--show-origin", "--includes"],
};

/** Git's words before it stops at a file whose filter does nothing. */
const FILTER_FAILED = /^fatal: (.+): (?:clean|smudge) filter '?(.+?)'? failed$/m;

export function createRepositoryGit(git: Git, repository: Repository): RepositoryGit {
  const directory = createTrustedDirectory(repository);
  const { commonDir, objectsDir } = repository;
  const trustedPlace: GitPlace = {
    cwd: commonDir,
    gitDir: directory.path,
    objects: objectsDir,
    settings: "own",
    ...(repository.shallow ? { shallowFile: join(commonDir, "shallow") } : {}),
  };
  const judged = new Map<string, ProgramSettings>();

  async function settings(at: CheckoutPlace): Promise<readonly Setting[]> {
    const found = parseSettings((await git.run(placeOf(at), LIST_SETTINGS)).stdout);
    const host = hostPrograms(process.env, repository.root ?? commonDir);
    judged.set(
      at.gitDir,
      judgePrograms(found, host, (file) => liesInRepository(file, repository)),
    );
    return found;
  }

  /** Work trees can have settings of their own. */
  async function programsAt(at: CheckoutPlace): Promise<ProgramSettings> {
    if (!judged.has(at.gitDir)) await settings(at);
    return judged.get(at.gitDir) ?? { overrides: [], refused: new Map(), ofRepository: null };
  }

  const objects = git.objects(trustedPlace);
  const diffs = git.diffs(trustedPlace);
  const provenObjects: GitObjects = {
    async look(name) {
      const loose = readLooseObject(repository, name);
      if (loose !== null) return { type: loose.type, size: loose.size };
      directory.prove();
      return objects.look(name);
    },
    async read(name) {
      const loose = readLooseObject(repository, name);
      if (loose !== null) return loose;
      directory.prove();
      return objects.read(name);
    },
    close: () => objects.close(),
  };
  const store: RepositoryGit["store"] = (type, content) => writeLooseObject(repository, type, content);
  const trees = createTreeStore({ repository, objects: provenObjects, store });
  const trusted: RepositoryGit["trusted"] = async (call, on = {}) => {
    directory.prove();
    return git.run({ ...trustedPlace, ...on }, call);
  };
  return {
    repository,
    objects: provenObjects,
    async changes(from, to) {
      return compareTrees(trees, await treeOf(provenObjects, from), await treeOf(provenObjects, to));
    },
    diffs: {
      async show(...question) {
        directory.prove();
        return diffs.show(...question);
      },
      close: () => diffs.close(),
    },
    store,
    storeCommit: (files, what) =>
      storeCommit(
        { store, storeBlob: (content) => writeLargeObject(repository, "blob", content) },
        files,
        what,
      ),
    trusted,
    history: createHistory({ repository, objects: provenObjects, trusted }),
    async refs(call, gitDir = commonDir) {
      return git.run({ cwd: commonDir, gitDir, settings: "none" }, call);
    },
    moveRefs: (moves, reason, gitDir = commonDir) => moveRefs({ ...repository, gitDir }, moves, reason),
    async checkout(call, { index, ...at }) {
      const { overrides, refused, ofRepository } = await programsAt(at);
      if (ofRepository !== null) throw refusedFile(ofRepository);
      const place: GitPlace = { ...placeOf(at), overrides, ...(index === undefined ? {} : { index }) };
      const assertNotRefused = (stderr: string): void => {
        const [, path = "", filter = ""] = FILTER_FAILED.exec(stderr) ?? [];
        const command = refused.get(filter);
        if (command !== undefined) throw refusedFilter({ path, filter, command }, at.workTree);
      };
      try {
        const answer = await git.run(place, call);
        assertNotRefused(answer.stderr);
        return answer;
      } catch (error) {
        if (error instanceof GitFailure) assertNotRefused(error.stderr);
        throw error;
      }
    },
    settings,
    refusedFilters: async (at) => (await programsAt(at)).refused,
    scratch: () => makeScratchFolder(join(commonDir, "loom", "tmp")),
  };
}

function placeOf({ gitDir, workTree }: CheckoutPlace): GitPlace {
  return { cwd: workTree, gitDir, workTree, settings: "user" };
}
