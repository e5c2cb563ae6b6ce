import { gitFields, runGit } from "./run-git.ts";

const NOTHING = "0".repeat(40);

/**
 * Compare and swap, see `ModelGit.updateRef`. A name that can't stand beside those that exist (`a` and `a/b`) counts as
 * not as expected, too.
 */
export async function updateRef(
  gitDir: string,
  ref: string,
  next: string | null,
  expected?: string | null,
): Promise<boolean> {
  const old = expected === undefined ? "" : (expected ?? NOTHING);
  // Deleting what must not exist is a question, not a change.
  if (next === null && expected === null) return !(await refExists(gitDir, ref));
  const command = next === null ? `delete ${ref}\0${old}\0` : `update ${ref}\0${next}\0${old}\0`;
  const { code, stderr } = await runGit(gitDir, ["update-ref", "-z", "--stdin"], {
    input: command,
    codes: [0, 128],
  });
  if (code === 0) return true;
  if (/cannot lock ref/.test(stderr)) return false;
  throw new Error(`failed to update ${ref}: ${stderr.trim()}`);
}

export async function listRefs(gitDir: string, prefix: string): Promise<{ ref: string; sha: string }[]> {
  const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1);
  const lines = await gitFields(gitDir, ["for-each-ref", "--format=%(refname) %(objectname)%00", folder]);
  return lines
    .map((line) => line.trim().split(" "))
    .flatMap(([ref = "", sha = ""]) => (ref.startsWith(prefix) && sha !== "" ? [{ ref, sha }] : []))
    .sort((one, other) => (one.ref < other.ref ? -1 : 1));
}

async function refExists(gitDir: string, ref: string): Promise<boolean> {
  return (await runGit(gitDir, ["show-ref", "--verify", "--quiet", "--", ref], { codes: [0, 1] })).code === 0;
}
