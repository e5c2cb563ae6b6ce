import { visiblePath } from "../../paths/visible-name.ts";
import { quote, quoteSome } from "../../text/quote.ts";

/** Why a set-up had no network, and what was tried in its place. */
export type ClosedSetUp = {
  /** Files that say what the project depends on and that differ from where the run started. */
  readonly manifests: readonly string[];
  /** Package managers that could not download what those files name. */
  readonly undownloaded: readonly string[];
  /** What went wrong with the set-up where the run started; null: nothing. */
  readonly onBase: SetUpProblem | null;
};

export type SetUpProblem = { readonly command: string; readonly how: string };

export const setupTexts = {
  /** Parts of verdicts about what a set-up did to the work tree. */
  changedTitle: "files that set-up changes",
  changed: (files: readonly string[]): string =>
    `set-up changes ${quoteSome(files.map(visiblePath))}; the checks ran with what the commit has instead. Commit what set-up generates, or keep it out of git`,
  failedAgain: () => "the set-up had to be run again for this check and failed",
  unreadable: () =>
    "the set-up left something in the work tree that Loom can't look through, such as paths that are too long or names that are no text",
  /** What to know about a set-up that failed without a network. */
  closed({ manifests, undownloaded, onBase }: ClosedSetUp): string {
    const managers = [...new Set(undownloaded)];
    return [
      "Set-up has no network once agents have changed the code.",
      ...(manifests.length > 0
        ? [`These changed since the run started: ${quoteSome(manifests.map(visiblePath))}.`]
        : []),
      ...(managers.length > 0 ? [`${quoteSome(managers)} could not download what that needs.`] : []),
      ...(onBase === null
        ? []
        : [`Where the run started, the set-up command ${quote(onBase.command)} ${onBase.how}.`]),
      "Merge what set-up needs by hand and start a run from there, or let Loom's operator set LOOM_SETUP_NETWORK=commit.",
    ].join(" ");
  },
};
