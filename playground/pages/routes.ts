import { findIssue, findPull } from "../model/find.ts";
import { notFound, Refusal } from "../model/refusal.ts";
import type { CheckRun } from "../model/types.ts";
import { buttonAction, rerunAction } from "./actions/check-actions.ts";
import {
  commentAction,
  editBodyAction,
  editCommentAction,
  labelAction,
  openIssueAction,
  reactionAction,
} from "./actions/issue-actions.ts";
import {
  deleteBranchAction,
  deleteHeadAction,
  mergeAction,
  queueAction,
  readyAction,
  reviewAction,
  threadAction,
} from "./actions/pull-actions.ts";
import { branchesPage } from "./code/branches-page.ts";
import { codePage } from "./code/code-page.ts";
import { commitPage, commitsPage } from "./code/commits-page.ts";
import { rawFile } from "./code/raw-file.ts";
import { deliveriesPage, deliveryPage, findDelivery } from "./deliveries-page.ts";
import { homePage } from "./home-page.ts";
import { issueListPage } from "./issues/issue-list-page.ts";
import { issuePage } from "./issues/issue-page.ts";
import { labelsPage } from "./issues/labels-page.ts";
import { newIssuePage } from "./issues/new-issue-page.ts";
import type { PullTab } from "./parts/pull-head.ts";
import { checkRunPage } from "./pulls/check-run-page.ts";
import { pullListPage } from "./pulls/pull-list-page.ts";
import { pullPage } from "./pulls/pull-page.ts";
import { viewAsAction } from "./viewer.ts";
import { type Answer, go, type RepositoryVisit, type Visit } from "./visit.ts";

type Route<V> = {
  readonly method: "GET" | "POST";
  readonly path: RegExp;
  answer(visit: V, ...parts: string[]): Answer | Promise<Answer>;
};

export const SITE_ROUTES: readonly Route<Visit>[] = [
  { method: "GET", path: /^\/$/, answer: homePage },
  { method: "GET", path: /^\/deliveries$/, answer: deliveriesPage },
  { method: "GET", path: /^\/deliveries\/(\d+)$/, answer: (visit, id) => deliveryPage(visit, Number(id)) },
  {
    method: "POST",
    path: /^\/deliveries\/(\d+)\/redeliver$/,
    answer: (visit, id) => redeliver(visit, Number(id)),
  },
  { method: "POST", path: /^\/playground\/view-as$/, answer: viewAsAction },
];

/** Paths below /owner/name. The addresses are GitHub's, so that links in comments and checks lead somewhere. */
export const REPOSITORY_ROUTES: readonly Route<RepositoryVisit>[] = [
  { method: "GET", path: /^$/, answer: (visit) => codePage(visit, "") },
  { method: "GET", path: /^\/(?:tree|blob)\/(.+)$/, answer: codePage },
  { method: "GET", path: /^\/raw\/(.+)$/, answer: rawFile },
  { method: "GET", path: /^\/commits(?:\/(.+))?$/, answer: (visit, place = "") => commitsPage(visit, place) },
  { method: "GET", path: /^\/commit\/([0-9a-f]{4,40})$/, answer: commitPage },
  { method: "GET", path: /^\/branches$/, answer: branchesPage },
  { method: "POST", path: /^\/branches\/delete$/, answer: deleteBranchAction },
  { method: "GET", path: /^\/labels$/, answer: labelsPage },
  { method: "GET", path: /^\/issues$/, answer: issueListPage },
  { method: "POST", path: /^\/issues$/, answer: openIssueAction },
  { method: "GET", path: /^\/issues\/new$/, answer: newIssuePage },
  { method: "GET", path: /^\/(issues|pull)\/(\d+)$/, answer: thread },
  { method: "POST", path: /^\/issues\/(\d+)\/comments$/, answer: (v, n) => commentAction(v, issueOf(v, n)) },
  {
    method: "POST",
    path: /^\/issues\/\d+\/comments\/(\d+)$/,
    answer: (v, id) => editCommentAction(v, Number(id)),
  },
  { method: "POST", path: /^\/issues\/(\d+)\/body$/, answer: (v, n) => editBodyAction(v, issueOf(v, n)) },
  { method: "POST", path: /^\/issues\/(\d+)\/labels$/, answer: (v, n) => labelAction(v, issueOf(v, n)) },
  {
    method: "POST",
    path: /^\/issues\/(\d+)\/reactions$/,
    answer: (v, n) => reactionAction(v, issueOf(v, n)),
  },
  { method: "GET", path: /^\/pulls$/, answer: pullListPage },
  {
    method: "GET",
    path: /^\/pull\/(\d+)\/(commits|checks|files)$/,
    answer: (visit, number, tab) => pullPage(visit, pullOf(visit, number), tab as PullTab),
  },
  { method: "POST", path: /^\/pull\/(\d+)\/merge$/, answer: (v, n) => mergeAction(v, pullOf(v, n)) },
  { method: "POST", path: /^\/pull\/(\d+)\/queue$/, answer: (v, n) => queueAction(v, pullOf(v, n)) },
  { method: "POST", path: /^\/pull\/(\d+)\/review$/, answer: (v, n) => reviewAction(v, pullOf(v, n)) },
  {
    method: "POST",
    path: /^\/pull\/(\d+)\/threads\/(\d+)$/,
    answer: (visit, number, id) => threadAction(visit, pullOf(visit, number), Number(id)),
  },
  { method: "POST", path: /^\/pull\/(\d+)\/ready$/, answer: (v, n) => readyAction(v, pullOf(v, n)) },
  {
    method: "POST",
    path: /^\/pull\/(\d+)\/delete-branch$/,
    answer: (v, n) => deleteHeadAction(v, pullOf(v, n)),
  },
  { method: "GET", path: /^\/runs\/(\d+)$/, answer: (visit, id) => checkRunPage(visit, runOf(visit, id)) },
  {
    method: "POST",
    path: /^\/runs\/(\d+)\/rerun$/,
    answer: (visit, id) => rerunAction(visit, runOf(visit, id)),
  },
  {
    method: "POST",
    path: /^\/runs\/(\d+)\/action$/,
    answer: (visit, id) => buttonAction(visit, runOf(visit, id)),
  },
];

/** Issues and pull requests share their numbers; the wrong word leads to the right page. */
function thread(visit: RepositoryVisit, word = "", number = ""): Answer | Promise<Answer> {
  const issue = issueOf(visit, number);
  const right = issue.pull === null ? "issues" : "pull";
  if (word !== right) return go(`${visit.home}/${right}/${number}`);
  return issue.pull === null
    ? issuePage(visit, issue)
    : pullPage(visit, pullOf(visit, number), "conversation");
}

function redeliver(visit: Visit, id: number): Answer {
  const delivery = findDelivery(visit, id);
  if (visit.world.redeliver === null) throw new Refusal(404, "No webhooks are delivered here.");
  visit.world.redeliver(delivery);
  return go("/deliveries");
}

const issueOf = ({ repository }: RepositoryVisit, number = "") => findIssue(repository, Number(number));
const pullOf = ({ repository }: RepositoryVisit, number = "") => findPull(repository, Number(number));

function runOf({ repository }: RepositoryVisit, id = ""): CheckRun {
  const found = repository.checkRuns.find((run) => run.id === Number(id));
  if (found === undefined) throw notFound();
  return found;
}
