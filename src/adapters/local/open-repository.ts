import { readFile, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parseSettings } from "../../core/config/git-settings.ts";
import { UserError } from "../../core/errors.ts";
import type { Sha } from "../../core/ids.ts";
import { table } from "../../core/table.ts";
import type { Git, GitAnswer, GitCall, GitPlace, Identity, Repository } from "../../ports/git.ts";
import { isFolder } from "../os/is-folder.ts";
import { liesInRepository } from "../os/lies-in-repository.ts";

export type { Repository } from "../../ports/git.ts";

/** Finds the repository that a folder belongs to. The person's own settings count here: no agent has run yet. */
export async function openRepository(git: Git, cwd: string): Promise<Repository> {
  if (!isFolder(cwd)) {
    throw new UserError(`There is no folder ${cwd}.`, { exitCode: 2 });
  }
  const place: GitPlace = { cwd, settings: "user" };
  const [version, location] = await Promise.all([
    git.run(place, { command: "version" }),
    git.run(place, locationWith(["--show-toplevel"], [HEAD])),
  ]);
  assertRecentGit(version.stdout);
  const { head, ...found } = await locate(git, place, location);
  const [branch, settings] = await Promise.all([
    branchAt(git, place, found),
    readSettings(git, { ...place, gitDir: found.gitDir }, found),
  ]);
  if (
    settings.has("extensions.partialclone") ||
    [...settings.keys()].some((key) => key.endsWith(".promisor"))
  ) {
    throw new UserError("This repository is a partial clone: not all of its content is on this machine.", {
      next: "Use a full clone (`git clone` without `--filter`).",
    });
  }
  return {
    ...found,
    currentBranch: branch,
    headSha: head,
    refFormat: settings.get("extensions.refstorage") === "reftable" ? "reftable" : "files",
    refLog: refLogOf(settings, found.root === null),
    shared: isShared(settings.get("core.sharedrepository")),
    identity: identityOf(settings),
    fileSettings: fileSettingsOf(settings),
    ignoreFiles: [globalIgnoreFile(settings), join(found.commonDir, "info", "exclude")],
  };
}

type Located = Pick<Repository, "root" | "gitDir" | "commonDir" | "objectsDir" | "objectFormat" | "shallow">;

const HEAD = "HEAD^{commit}";

/** What not every repository has comes last: a bare one has no top, and a new one no commit. */
const locationWith = (more: readonly string[], values: readonly string[] = []): GitCall => ({
  command: "rev-parse",
  options: [
    "--path-format=absolute",
    "--is-bare-repository",
    "--is-inside-work-tree",
    "--is-shallow-repository",
    "--show-object-format",
    "--absolute-git-dir",
    "--git-common-dir",
    ["--git-path", "objects"],
    ...more,
  ],
  values,
  answers: [128, 129],
});

async function locate(
  git: Git,
  place: GitPlace,
  whole: GitAnswer,
): Promise<Located & { readonly head: Sha | null }> {
  const head = /(?:^|\n)([0-9a-f]{40,64})\n$/.exec(whole.stdout)?.[1] ?? null;
  if (whole.code === 0 && head !== null)
    return { ...(await placesIn(place, whole.stdout.slice(0, -1 - head.length))), head };
  const withTop = await git.run(place, locationWith(["--show-toplevel"]));
  const answer = withTop.code === 0 ? withTop : await git.run(place, locationWith([]));
  if (answer.code !== 0) throw notARepository(place.cwd, answer.stderr);
  const asked = await git.run(place, {
    command: "rev-parse",
    options: ["-q", "--verify"],
    values: [HEAD],
    answers: [1],
  });
  return {
    ...(await placesIn(place, answer.stdout)),
    head: asked.code === 0 ? asked.stdout.trim() : null,
  };
}

async function placesIn({ cwd }: GitPlace, answer: string): Promise<Located> {
  const [bare, inside, shallow, format, gitDir = "", commonDir = "", objectsDir = "", ...top] =
    answer.split("\n");
  if (bare !== "true" && inside !== "true") {
    throw new UserError(`${cwd} is inside a git directory, not in a checkout.`, {
      next: "Change to the folder that holds your files and try again.",
    });
  }
  return {
    // A name may hold the end of a line; the last one is git's own.
    root: bare === "true" ? null : await realpath(top.slice(0, -1).join("\n")),
    gitDir: await realpath(gitDir),
    commonDir: await realpath(commonDir),
    objectsDir: await realpath(objectsDir),
    objectFormat: format === "sha256" ? "sha256" : "sha1",
    shallow: shallow === "true",
  };
}

/** Read from its file; where that says nothing, as with other formats of refs, git is asked. null on no branch. */
async function branchAt(git: Git, place: GitPlace, { gitDir, commonDir }: Located): Promise<string | null> {
  const textOf = (file: string): Promise<string> => readFile(file, "utf8").catch(() => "");
  const [, named] = /^ref: refs\/heads\/(\S+)\n$/.exec(await textOf(join(gitDir, "HEAD"))) ?? [];
  // A branch can be another name of one, which git follows.
  const isPlain =
    named !== undefined &&
    named !== ".invalid" &&
    !(await textOf(join(commonDir, "refs/heads", named))).startsWith("ref:");
  if (isPlain) return named;
  const asked = await git.run(place, {
    command: "symbolic-ref",
    options: ["-q"],
    values: ["HEAD"],
    answers: [1],
  });
  return asked.code === 0 ? asked.stdout.trim().replace(/^refs\/heads\//, "") : null;
}

function notARepository(cwd: string, stderr: string): UserError {
  if (stderr.includes("dubious ownership")) {
    return new UserError(`Git does not trust the repository at ${cwd}, because another user owns it.`, {
      next: `If you do, run \`git config --global --add safe.directory ${cwd}\` and try again.`,
    });
  }
  if (stderr.includes("not a git repository")) {
    return new UserError(`${cwd} is not in a git repository.`, {
      next: "Change to your repository, or make one with `git init` and a first commit.",
    });
  }
  return new UserError(`Git can't open the repository at ${cwd}: ${stderr.trim()}`);
}

/** Merging without a checkout came with 2.38. */
function assertRecentGit(version: string): void {
  const [, major = 0, minor = 0] = (/(?<!\d)(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
  if (major > 2 || (major === 2 && minor >= 38)) return;
  throw new UserError(`Loom needs git 2.38 or newer; this is ${version.trim()}.`, {
    next: "Install a newer git (https://git-scm.com) and try again.",
  });
}

const WANTED =
  "^(user\\.(name|email)|core\\.(filemode|symlinks|ignorecase|precomposeunicode|autocrlf|eol|excludesfile|logallrefupdates|sharedrepository)|extensions\\.(refstorage|partialclone)|remote\\..*\\.promisor)$";

/** Without those in files of the repository, which people can include: an agent's merged work could have written them. */
async function readSettings(git: Git, place: GitPlace, found: Located): Promise<Map<string, string>> {
  const { stdout } = await git.run(place, {
    command: "config",
    options: ["-z", "--show-origin", ["--get-regexp", WANTED]],
    answers: [1],
  });
  const own = parseSettings(stdout).filter(({ file }) => file === null || !liesInRepository(file, found));
  return new Map(own.map(({ key, value }) => [key, value]));
}

const YES = /^(?:true|yes|on|1)$/;
const NO = /^(?:false|no|off|0)$/;

function identityOf(settings: ReadonlyMap<string, string>): Identity | null {
  const name = settings.get("user.name");
  const email = settings.get("user.email");
  return name && email ? { name, email } : null;
}

function refLogOf(settings: ReadonlyMap<string, string>, isBare: boolean): Repository["refLog"] {
  const value = settings.get("core.logallrefupdates")?.toLowerCase();
  if (value === undefined) return isBare ? "none" : "branches";
  if (value === "always") return "all";
  return NO.test(value) ? "none" : "branches";
}

function isShared(value = "umask"): boolean {
  return value.toLowerCase() !== "umask" && !NO.test(value.toLowerCase());
}

/** Checked to the letter: these go into the settings file of Loom's own git directory. */
function fileSettingsOf(settings: ReadonlyMap<string, string>): Record<string, string> {
  const kept: Record<string, string> = table();
  for (const key of ["filemode", "symlinks", "ignorecase", "precomposeunicode", "autocrlf", "eol"]) {
    const value = settings.get(`core.${key}`)?.toLowerCase() ?? "";
    if (YES.test(value)) kept[key] = "true";
    if (NO.test(value)) kept[key] = "false";
    if (key === "autocrlf" && value === "input") kept[key] = value;
    if (key === "eol" && /^(?:lf|crlf|native)$/.test(value)) kept[key] = value;
  }
  return kept;
}

function globalIgnoreFile(settings: ReadonlyMap<string, string>): string {
  const named = settings.get("core.excludesfile");
  if (named) return resolve(homedir(), named.replace(/^~\//, ""));
  return join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "git", "ignore");
}
