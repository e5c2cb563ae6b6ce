import type { ModelGit } from "../model/model-git.ts";

const SHA = /^[0-9a-f]{40}$/;
const MOST = 2_000;

type Question = {
  readonly what: string;
  readonly gitDir: string;
  /** null: the empty tree, or the beginning of all history. */
  readonly shas: readonly (string | null)[];
  readonly more?: unknown;
};

/**
 * What git says about whole shas stays true for ever, and the model asks the same of a pull request with every answer that
 * shows it; so it is asked once. Not remembered is what may come to be true: that a commit is not there, or that two have
 * nothing in common because one of them is missing yet.
 */
export function rememberAnswers(git: ModelGit): ModelGit {
  const known = new Map<string, Promise<unknown>>();

  const remembered = <T>(
    { shas, ...rest }: Question,
    ask: () => Promise<T>,
    isFinal: (answer: T) => boolean = () => true,
  ): Promise<T> => {
    if (!shas.every((sha) => sha === null || SHA.test(sha))) return ask();
    const key = JSON.stringify({ shas, ...rest });
    const before = known.get(key) as Promise<T> | undefined;
    if (before) return before;
    const answer = ask();
    const forget = (): void => {
      if (known.get(key) === answer) known.delete(key);
    };
    known.set(key, answer);
    answer.then((value) => isFinal(value) || forget(), forget);
    const [oldest] = known.keys();
    if (known.size > MOST && oldest !== undefined) known.delete(oldest);
    return answer;
  };

  return {
    ...git,
    isAncestor: (gitDir, ancestor, descendant) =>
      remembered(
        { what: "is-ancestor", gitDir, shas: [ancestor, descendant] },
        () => git.isAncestor(gitDir, ancestor, descendant),
        (yes) => yes,
      ),
    mergeBase: (gitDir, one, other) =>
      remembered(
        { what: "merge-base", gitDir, shas: [one, other] },
        () => git.mergeBase(gitDir, one, other),
        (base) => base !== null,
      ),
    commit: (gitDir, sha) =>
      remembered(
        { what: "commit", gitDir, shas: [sha] },
        () => git.commit(gitDir, sha),
        (commit) => commit !== null,
      ),
    commits: (gitDir, range) => {
      const { from = null, to, ...more } = range;
      return remembered({ what: "commits", gitDir, shas: [from, to], more }, () =>
        git.commits(gitDir, range),
      );
    },
    changedFiles: (gitDir, from, to) =>
      remembered({ what: "changed-files", gitDir, shas: [from, to] }, () =>
        git.changedFiles(gitDir, from, to),
      ),
    diff: (gitDir, from, to) =>
      remembered({ what: "diff", gitDir, shas: [from, to] }, () => git.diff(gitDir, from, to)),
    conflicts: (gitDir, base, head) =>
      remembered({ what: "conflicts", gitDir, shas: [base, head] }, () => git.conflicts(gitDir, base, head)),
  };
}
