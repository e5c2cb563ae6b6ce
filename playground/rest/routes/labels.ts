import { addLabel } from "../../model/issues/add-label.ts";
import { createLabel, knownLabel } from "../../model/issues/create-label.ts";
import { removeLabel } from "../../model/issues/remove-label.ts";
import { notFound } from "../../model/refusal.ts";
import { created, noContent, ok, type RepoCall, type Route } from "../call.ts";
import { paginate } from "../paginate.ts";
import { invalidRequest, listField, optionalText, textField, textParam } from "../read-fields.ts";
import { labelShape } from "../shape/label.ts";
import { labelEventShape } from "../shape/label-event.ts";
import { issueOf, issueOrPull } from "./issue-of.ts";

const ANY = { permission: ["issues", "pull_requests"] } as const;
const ON_ISSUE = "/repos/{owner}/{repo}/issues/{issue_number}/labels";

export const LABEL_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/repos/{owner}/{repo}/labels",
    scope: "repository",
    needs: { ...ANY, level: "read" },
    handle: (call) => paginate(call, [...call.repository.labels.keys()], (name) => shape(call, name)),
  },
  {
    method: "POST",
    path: "/repos/{owner}/{repo}/labels",
    scope: "repository",
    needs: { ...ANY, level: "write", role: "write" },
    handle: makeLabel,
  },
  {
    method: "GET",
    path: "/repos/{owner}/{repo}/labels/{name}",
    scope: "repository",
    needs: { ...ANY, level: "read" },
    handle: (call) => {
      const name = knownLabel(call.repository, textParam(call, "name"));
      if (name === null) throw notFound();
      return ok(shape(call, name));
    },
  },
  {
    method: "GET",
    path: ON_ISSUE,
    scope: "repository",
    needs: { permission: issueOrPull, level: "read" },
    handle: (call) => paginate(call, issueOf(call).labels, (name) => shape(call, name)),
  },
  {
    method: "GET",
    path: "/repos/{owner}/{repo}/issues/{issue_number}/events",
    scope: "repository",
    needs: { permission: issueOrPull, level: "read" },
    handle: (call) =>
      paginate(call, issueOf(call).labelEvents, (event) =>
        labelEventShape(call.world, call.repository, event),
      ),
  },
  {
    method: "POST",
    path: ON_ISSUE,
    scope: "repository",
    needs: { permission: issueOrPull, level: "write", role: "triage" },
    handle: (call) => {
      add(call, wanted(call));
      return ok(issueOf(call).labels.map((name) => shape(call, name)));
    },
  },
  {
    method: "PUT",
    path: ON_ISSUE,
    scope: "repository",
    needs: { permission: issueOrPull, level: "write", role: "triage" },
    handle: (call) => {
      const names = wanted(call);
      remove(
        call,
        issueOf(call).labels.filter((label) => !names.includes(label)),
      );
      add(call, names);
      return ok(issueOf(call).labels.map((name) => shape(call, name)));
    },
  },
  {
    method: "DELETE",
    path: ON_ISSUE,
    scope: "repository",
    needs: { permission: issueOrPull, level: "write", role: "triage" },
    handle: (call) => {
      remove(call, issueOf(call).labels);
      return noContent();
    },
  },
  {
    method: "DELETE",
    path: `${ON_ISSUE}/{name}`,
    scope: "repository",
    needs: { permission: issueOrPull, level: "write", role: "triage" },
    handle: (call) => {
      remove(call, [textParam(call, "name")]);
      return ok(issueOf(call).labels.map((name) => shape(call, name)));
    },
  },
];

/** Labels come as names or as objects with a name. */
export function labelName(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "object" && value !== null && "name" in value) return String(value.name);
  throw invalidRequest("Labels must be strings or objects with a name.");
}

function makeLabel(call: RepoCall) {
  const { world, repository, body, by } = call;
  const color = optionalText(body, "color");
  const description = optionalText(body, "description");
  const name = createLabel(world, repository, {
    by,
    name: textField(body, "name"),
    ...(color !== undefined && { color }),
    ...(description !== undefined && { description }),
  });
  return created(shape(call, name));
}

function shape(call: RepoCall, name: string) {
  return labelShape(call.world, call.repository, name);
}

function wanted(call: RepoCall): string[] {
  return (listField(call.body, "labels") ?? []).map(labelName);
}

function add(call: RepoCall, names: readonly string[]): void {
  for (const label of names) addLabel(call.world, call.repository, issueOf(call), { by: call.by, label });
}

function remove(call: RepoCall, names: readonly string[]): void {
  for (const label of [...names])
    removeLabel(call.world, call.repository, issueOf(call), { by: call.by, label });
}
