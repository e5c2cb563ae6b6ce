import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { RepositoryGit } from "../../ports/git.ts";
import { replaceFileSync } from "../os/replace-file.ts";
import type { Checkout } from "./checkout-find.ts";
import { exists, follow, type Obstacle, refresh, type Step } from "./checkout-follow.ts";

/** What is about to happen to a checkout, so that the next process can finish it when this one dies in between. */
export type Journal = {
  /** Is there an entry for any checkout at all? */
  isEmpty(): boolean;
  read(checkout: Checkout): Step | null;
  write(checkout: Checkout, step: Step): void;
  clear(checkout: Checkout): void;
};

const stepSchema = z.object({ from: z.string(), to: z.string() });

export function createJournal(commonDir: string): Journal {
  const folder = join(commonDir, "loom");
  const fileOf = ({ gitDir }: Checkout): string =>
    join(folder, `follow-${createHash("sha256").update(gitDir).digest("hex").slice(0, 12)}.json`);
  return {
    isEmpty: () => !existsSync(folder) || !readdirSync(folder).some((name) => name.startsWith("follow-")),
    read(checkout) {
      try {
        return stepSchema.parse(JSON.parse(readFileSync(fileOf(checkout), "utf8")));
      } catch {
        return null;
      }
    },
    write(checkout, { from, to }) {
      const file = fileOf(checkout);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      replaceFileSync(file, JSON.stringify({ from, to }));
    },
    clear: (checkout) => rmSync(fileOf(checkout), { force: true }),
  };
}

/**
 * Follows after a process died while it did. Its files may be half written: those that already are what they should
 * become are entered in the index first, or git would take them for changes of the person's.
 */
export async function followAgain(
  git: RepositoryGit,
  checkout: Checkout,
  step: Step,
): Promise<Obstacle | null> {
  const obstacle = await follow(git, checkout, step);
  if (obstacle?.kind !== "files") return obstacle;
  const { stdout } = await git.trusted({
    command: "diff-tree",
    options: ["-r", "--raw", "-z", "--no-renames", "--no-commit-id"],
    values: [step.from, step.to],
  });
  const fields = stdout.split("\0");
  const wanted = new Map<string, string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = "", , sha = ""] = (fields[at] ?? "").split(" ");
    wanted.set(fields[at + 1] ?? "", `${mode === "000000" ? "0" : mode} ${sha}`);
  }
  const arrived = await alreadyThere(git, checkout, wanted);
  if (arrived.length > 0) await enter(git, checkout, arrived.join(""));
  return follow(git, checkout, step);
}

/** Which of the wanted entries the files on disk match, found with a copy of the index that holds them all. */
async function alreadyThere(
  git: RepositoryGit,
  checkout: Checkout,
  wanted: ReadonlyMap<string, string>,
): Promise<string[]> {
  const folder = await git.scratch();
  const index = join(folder, "index");
  try {
    await copyFile(join(checkout.gitDir, "index"), index);
    const lines = [...wanted].map(([path, entry]) => `${entry}\t${path}\0`);
    await enter(git, { ...checkout, index }, lines.join(""));
    await refresh(git, { ...checkout, index });
    const { stdout } = await git.checkout(
      { command: "diff-files", options: ["--name-only", "-z", "--ignore-submodules=all"] },
      { ...checkout, index },
    );
    const different = new Set(stdout.split("\0"));
    const isGone = (path: string): boolean => !exists(join(checkout.workTree, path));
    return [...wanted]
      .filter(([path, entry]) => (entry.startsWith("0 ") ? isGone(path) : !different.has(path)))
      .map(([path, entry]) => `${entry}\t${path}\0`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function enter(
  git: RepositoryGit,
  at: Checkout & { readonly index?: string },
  input: string,
): Promise<void> {
  await git.checkout({ command: "update-index", options: ["--replace", "-z", "--index-info"], input }, at);
}
