import { inTurn } from "../../model/in-turn.ts";
import { deleteBranch } from "../../model/pulls/delete-branch.ts";
import { checkState } from "../../model/pulls/merge-problem.ts";
import { settlePush } from "../../model/pulls/settle-push.ts";
import { notFound, Refusal } from "../../model/refusal.ts";
import { type Answer, created, noContent, ok, type RepoCall, type Route } from "../call.ts";
import { optionalFlag, textField, textParam } from "../read-fields.ts";
import { refShape } from "../shape/ref.ts";

const READ = { permission: ["contents"], level: "read" } as const;
const WRITE = { permission: ["contents"], level: "write", role: "write" } as const;
const BASE = "/repos/{owner}/{repo}/git";

export const REF_ROUTES: readonly Route[] = [
  { method: "GET", path: `${BASE}/ref/{ref}`, scope: "repository", needs: READ, handle: getRef },
  {
    method: "GET",
    path: `${BASE}/matching-refs/{ref}`,
    scope: "repository",
    needs: READ,
    handle: async (call) => {
      const { world, repository } = call;
      const refs = await world.git.refs(repository.gitDir, `refs/${textParam(call, "ref")}`);
      return ok(refs.map((ref) => refShape(world, repository, ref)));
    },
  },
  { method: "POST", path: `${BASE}/refs`, scope: "repository", needs: WRITE, handle: createRef },
  { method: "PATCH", path: `${BASE}/refs/{ref}`, scope: "repository", needs: WRITE, handle: updateRef },
  { method: "DELETE", path: `${BASE}/refs/{ref}`, scope: "repository", needs: WRITE, handle: deleteRef },
];

async function getRef(call: RepoCall): Promise<Answer> {
  const { world, repository } = call;
  const ref = refName(call);
  const found = (await world.git.refs(repository.gitDir, ref)).find((one) => one.ref === ref);
  if (!found) throw notFound();
  return ok(refShape(world, repository, found));
}

async function createRef(call: RepoCall): Promise<Answer> {
  const { world, repository, body, by } = call;
  const ref = textField(body, "ref");
  const sha = textField(body, "sha");
  if (!/^refs\/[^/]+\/.+/.test(ref) || badName(ref)) throw new Refusal(422, "Reference name is invalid");
  if ((await world.git.resolve(repository.gitDir, sha)) !== sha)
    throw new Refusal(422, "Object does not exist");
  return inTurn(repository, async () => {
    const made = await world.git.updateRef(repository.gitDir, ref, sha, null);
    if (!made) throw new Refusal(422, "Reference already exists");
    await settlePush(world, repository, [{ ref, before: null, after: sha }], { by });
    return created(refShape(world, repository, { ref, sha }));
  });
}

async function updateRef(call: RepoCall): Promise<Answer> {
  const { world, repository, body, by } = call;
  const ref = refName(call);
  const sha = textField(body, "sha");
  const force = optionalFlag(body, "force") ?? false;
  if ((await world.git.resolve(repository.gitDir, sha)) !== sha)
    throw new Refusal(422, "Object does not exist");
  return inTurn(repository, async () => {
    const before = await world.git.resolve(repository.gitDir, ref);
    if (before === null) throw new Refusal(422, "Reference does not exist");
    if (!force && !(await world.git.isAncestor(repository.gitDir, before, sha))) {
      throw new Refusal(422, "Update is not a fast forward");
    }
    refuseProtected(call, ref, sha);
    const moved = await world.git.updateRef(repository.gitDir, ref, sha, before);
    if (!moved) throw new Refusal(409, "Reference cannot be updated");
    await settlePush(world, repository, [{ ref, before, after: sha }], { by });
    return ok(refShape(world, repository, { ref, sha }));
  });
}

/** A protected branch moves through pull requests, or with checks that are green on the new commit already. */
function refuseProtected(call: RepoCall, ref: string, sha: string): void {
  const { repository } = call;
  const rule = repository.protection.get(ref.replace(/^refs\/heads\//, ""));
  if (!rule) return;
  if (rule.mergeQueue) throw new Refusal(422, "Changes must be made through the merge queue");
  if (rule.requiredApprovals > 0) throw new Refusal(422, "Changes must be made through a pull request.");
  const check = rule.requiredChecks.find((name) => checkState(repository, sha, name) !== "successful");
  if (check !== undefined) throw new Refusal(422, `Required status check "${check}" is expected.`);
}

async function deleteRef(call: RepoCall): Promise<Answer> {
  const { world, repository, by } = call;
  const ref = refName(call);
  if (ref.startsWith("refs/heads/")) {
    await deleteBranch(world, repository, { by, branch: ref.slice("refs/heads/".length) });
    return noContent();
  }
  const before = await world.git.resolve(repository.gitDir, ref);
  if (before === null) throw new Refusal(422, "Reference does not exist");
  await inTurn(repository, async () => {
    await world.git.updateRef(repository.gitDir, ref, null);
    await settlePush(world, repository, [{ ref, before, after: null }], { by });
  });
  return noContent();
}

/** `heads/main` in the path; `refs/heads/main` is accepted too. */
function refName(call: RepoCall): string {
  return `refs/${textParam(call, "ref").replace(/^refs\//, "")}`;
}

/** What git would refuse as a ref. */
function badName(ref: string): boolean {
  return /\.\.|[ ~^:?*[\\\u0000-\u001f]|\/\/|\/\.|\.lock(?:\/|$)|[./]$|@\{/.test(ref);
}
