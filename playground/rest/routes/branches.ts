import { Refusal } from "../../model/refusal.ts";
import { type Answer, ok, type RepoCall, type Route } from "../call.ts";
import { paginate } from "../paginate.ts";
import { textParam } from "../read-fields.ts";
import { branchShape, protectionShape, rulesShape, shortBranchShape } from "../shape/branch.ts";

const ONE = "/repos/{owner}/{repo}/branches/{branch}";
const READ = { permission: ["contents"], level: "read" } as const;

export const BRANCH_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/repos/{owner}/{repo}/branches",
    scope: "repository",
    needs: READ,
    handle: listBranches,
  },
  { method: "GET", path: ONE, scope: "repository", needs: READ, handle: getBranch },
  {
    method: "GET",
    path: `${ONE}/protection`,
    scope: "repository",
    needs: { permission: ["administration"], level: "read", role: "write" },
    handle: async (call) => {
      await commitOfBranch(call);
      const protection = call.repository.protection.get(textParam(call, "branch"));
      if (!protection) throw new Refusal(404, "Branch not protected");
      return ok(protectionShape(call.world, call.repository, textParam(call, "branch"), protection));
    },
  },
  {
    method: "GET",
    path: "/repos/{owner}/{repo}/rules/branches/{branch}",
    scope: "repository",
    needs: { permission: ["metadata"], level: "read" },
    handle: (call) => {
      const rules = rulesShape(call.repository, textParam(call, "branch"));
      return paginate(call, rules, (rule) => rule);
    },
  },
];

async function listBranches(call: RepoCall): Promise<Answer> {
  const { world, repository, query } = call;
  const refs = await world.git.refs(repository.gitDir, "refs/heads/");
  const found = refs
    .map(({ ref, sha }) => ({ name: ref.slice("refs/heads/".length), sha }))
    .filter(({ name }) => query.protected !== "true" || repository.protection.has(name));
  return paginate(call, found, (branch) => shortBranchShape(world, repository, branch));
}

async function getBranch(call: RepoCall): Promise<Answer> {
  const { world, repository } = call;
  const name = textParam(call, "branch");
  const commit = await world.git.commit(repository.gitDir, await commitOfBranch(call));
  if (!commit) throw new Refusal(404, "Branch not found");
  return ok(branchShape(world, repository, name, commit));
}

async function commitOfBranch({ world, repository, params }: RepoCall): Promise<string> {
  const tip = await world.git.tip(repository.gitDir, params.branch ?? "");
  if (tip === null) throw new Refusal(404, "Branch not found");
  return tip;
}
