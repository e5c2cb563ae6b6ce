import type { Hub } from "../../ports/hub.ts";
import { comment, editComment } from "./hub/comment.ts";
import { defaultBranch } from "./hub/default-branch.ts";
import { editPull } from "./hub/edit-pull.ts";
import { mergeRules } from "./hub/merge-rules.ts";
import { forgetLedger, mirroredLedgers, mirrorLedger } from "./hub/mirror-ledger.ts";
import { observe } from "./hub/observe.ts";
import { offerPlan } from "./hub/offer-plan.ts";
import { putCheck } from "./hub/put-check.ts";
import { react } from "./hub/react.ts";
import { blobOf, readFile } from "./hub/read-file.ts";
import { readIssue } from "./hub/read-issue.ts";
import { roleOf } from "./hub/role-of.ts";
import { setLabels } from "./hub/set-labels.ts";
import { getPull, pullsFromBranch } from "./pull.ts";
import { openRepository, type RepositoryParts } from "./repository.ts";

export type HubOptions = RepositoryParts & {
  /** For the ledger's copies; see `signingKeyOf`. */
  readonly signingKey: Buffer;
};

/** One repository on GitHub. Cheap to make: one per job will do, what is worth keeping is kept by the client. */
export function createHub({ signingKey, ...parts }: HubOptions): Hub {
  const repository = openRepository(parts);
  const mirror = { repository, signingKey };
  return {
    roleOf: (login) => roleOf(repository, login),
    issue: (number) => readIssue(repository, number),
    pull: (number) => getPull(repository, number),
    async pullByBranch(branch) {
      const [latest] = await pullsFromBranch(repository, branch);
      return latest ? getPull(repository, latest.number) : null;
    },
    defaultBranch: () => defaultBranch(repository),
    readFile: (at, path, maxBytes) => readFile(repository, at, path, maxBytes),
    rules: (branch) => mergeRules(repository, branch),
    react: (to, reaction) => react(repository, to, reaction),
    comment: (number, key, body) => comment(repository, number, key, body),
    editComment: (id, body) => editComment(repository, id, body),
    setLabels: (number, labels) => setLabels(repository, number, labels),
    putCheck: (check, known) => putCheck(repository, check, known),
    editPull: (number, change) => editPull(repository, number, change),
    offerPlan: (offer) => offerPlan(repository, offer),
    blobOf: (at, path) => blobOf(repository, at, path),
    observe: (spec) => observe(repository, spec),
    mirrorLedger: (run, text) => mirrorLedger(mirror, run, text),
    mirroredLedgers: () => mirroredLedgers(mirror),
    forgetLedger: (run) => forgetLedger(mirror, run),
  };
}
