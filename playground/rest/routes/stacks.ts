import { notFound } from "../../model/refusal.ts";
import { addToStack, findStack } from "../../model/stacks/add-to-stack.ts";
import { createStack } from "../../model/stacks/create-stack.ts";
import { unstack } from "../../model/stacks/unstack.ts";
import { created, noContent, ok, type RepoCall, type Route } from "../call.ts";
import { paginate } from "../paginate.ts";
import { numberList, numberParam } from "../read-fields.ts";
import { stackMinimalShape, stackShape } from "../shape/pulls/stack.ts";

const ALL = "/repos/{owner}/{repo}/stacks";
const READ = { permission: ["pull_requests"], level: "read" } as const;
const WRITE = { permission: ["pull_requests"], level: "write", role: "write" } as const;

/** Where stacks are not offered, all of them are 404. */
export const STACK_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: ALL,
    scope: "repository",
    needs: READ,
    handle: (call) => {
      const { world, repository, query } = call;
      if (!repository.stacksEnabled) throw notFound();
      const wanted = query.pull_request === undefined ? null : Number(query.pull_request);
      const found = repository.stacks.filter((stack) => wanted === null || stack.pulls.includes(wanted));
      return paginate(call, found, (stack) => stackMinimalShape(world, repository, stack));
    },
  },
  {
    method: "POST",
    path: ALL,
    scope: "repository",
    needs: WRITE,
    handle: (call) => {
      const { world, repository } = call;
      return created(stackShape(world, repository, createStack(world, repository, { pulls: pullsOf(call) })));
    },
  },
  {
    method: "GET",
    path: `${ALL}/{stack_number}`,
    scope: "repository",
    needs: READ,
    handle: (call) => ok(stackShape(call.world, call.repository, findStack(call.repository, numberOf(call)))),
  },
  {
    method: "POST",
    path: `${ALL}/{stack_number}/add`,
    scope: "repository",
    needs: WRITE,
    handle: (call) => {
      const stack = addToStack(call.repository, numberOf(call), { pulls: pullsOf(call) });
      return ok(stackShape(call.world, call.repository, stack));
    },
  },
  {
    method: "POST",
    path: `${ALL}/{stack_number}/unstack`,
    scope: "repository",
    needs: WRITE,
    handle: (call) => {
      const stack = unstack(call.repository, numberOf(call));
      return stack ? ok(stackShape(call.world, call.repository, stack)) : noContent();
    },
  },
];

function numberOf(call: RepoCall): number {
  return numberParam(call, "stack_number");
}

function pullsOf(call: RepoCall): number[] {
  return numberList(call.body, "pull_requests") ?? [];
}
