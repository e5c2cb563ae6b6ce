import type { Git, GitAnswer, Repository, RepositoryGit } from "../../../ports/git.ts";
import type { Remote } from "../../../ports/remote.ts";
import { GitFailure } from "../run/git-failure.ts";
import { checkedAddress } from "../run/network-environment.ts";
import { httpStatus } from "../run/remote-failure.ts";
import { createRepositoryGit } from "../run/repository-git.ts";
import { openMirrorDirectory, proveRemoteSettings, remotePlace } from "./mirror-directory.ts";
import { createMirrorRemote } from "./mirror-remote.ts";

export type MirrorOptions = {
  readonly program: Git;
  /** Where the mirror stands; made when it is not there. */
  readonly path: string;
  /** https, without credentials; http on this machine only. */
  readonly url: string;
  /** A token that is good now. Asked for each time that git talks to the other side; `refused` is one that was not. */
  readonly credentials: (refused?: string) => Promise<string>;
};

/** What this machine has of a repository elsewhere, and the way to the other side. */
export type Mirror = {
  readonly repository: Repository;
  readonly git: RepositoryGit;
  readonly remote: Remote;
};

export async function openMirror({ program, path, url, credentials }: MirrorOptions): Promise<Mirror> {
  checkedAddress(url);
  const repository = await openMirrorDirectory(program, path);
  const place = remotePlace(repository);
  const git = createRepositoryGit(program, repository);
  const remote = createMirrorRemote({
    url,
    folder: repository.commonDir,
    gitDir: place.gitDir,
    has: async (commit) => (await git.objects.look(commit)) !== null,
    here: (call) => program.run(place, call),
    async there(call) {
      const token = await credentials();
      proveRemoteSettings(repository);
      const run = (withToken: string): Promise<GitAnswer> =>
        program.run({ ...place, network: { url, token: withToken } }, call);
      const isRefused = (said: string): boolean => httpStatus(said) === 401;
      try {
        const answer = await run(token);
        // It may have ended early, or in this moment; one fresh one is worth a try (F17).
        return answer.code !== 0 && isRefused(answer.stderr) ? await run(await credentials(token)) : answer;
      } catch (error) {
        if (!(error instanceof GitFailure) || !isRefused(error.stderr)) throw error;
        return run(await credentials(token));
      }
    },
  });
  return { repository, git, remote };
}
