import { join } from "node:path";
import type { Git, GitPlace, Repository, RepositoryGit } from "../../ports/git.ts";
import { makeScratchFolder } from "./scratch-folders.ts";
import { createTrustedDirectory } from "./trusted-directory.ts";

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

  return {
    repository,
    async trusted(call, on = {}) {
      directory.prove();
      return git.run({ ...trustedPlace, ...on }, call);
    },
    async refs(call, gitDir = commonDir) {
      return git.run({ cwd: commonDir, gitDir, settings: "none" }, call);
    },
    async checkout(call, { gitDir, workTree, index }) {
      const place: GitPlace = { cwd: workTree, gitDir, workTree, settings: "user" };
      return git.run(index === undefined ? place : { ...place, index }, call);
    },
    scratch: () => makeScratchFolder(join(commonDir, "loom", "tmp")),
  };
}
