import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createLocalForge } from "../../../src/adapters/local/forge.ts";
import type { WorkTree } from "../../../src/ports/workspace.ts";
import {
  type Bench,
  commitFiles,
  commitSpec,
  git,
  makeBench,
  makeRepo,
  makeTrap,
  tempFolder,
  writeFiles,
} from "../../support/git-repo.ts";

/**
 * Ways in which git metadata makes git run a program (T11). In each case an agent plants one in its work tree or, since
 * a work tree shares it, in the person's git directory. Then Loom does all that it ever does, and the program must not
 * have run; at the end a person's plain git shows that the trap was a live one.
 */
type Vector = {
  readonly name: string;
  plant(slot: string, trap: string, bench: Bench): void;
  /** Plain git, as anyone would use it, falls for it; null when nobody but Loom would come across it. */
  readonly fallFor: ((slot: string) => void) | null;
};

const FILES = { "a.txt": "1\n2\n3\n", "b.txt": "b\n", "src/c.ts": "c\n" };
const AS_AGENT = ["-c", "user.name=agent", "-c", "user.email=a@example.com"];

const attribute =
  (line: string, ...settings: readonly string[]) =>
  (slot: string, trap: string): void => {
    writeFiles(slot, { ".gitattributes": `${line}\n` });
    for (const setting of settings) git(slot, "config", setting, trap);
  };

const hook =
  (name: string) =>
  (slot: string, trap: string): void => {
    const file = git(slot, "rev-parse", "--path-format=absolute", "--git-path", `hooks/${name}`);
    writeFiles(file.slice(0, -name.length), { [name]: `#!/bin/sh\n${trap} </dev/null\n` });
    chmodSync(file, 0o755);
  };

const status = (slot: string): void => void git(slot, "status");
const addAll = (slot: string): void => {
  writeFiles(slot, { "b.txt": "touched again\n" });
  git(slot, "add", "-A");
};

/** A repository of the agent's own whose settings start the trap. */
function hostileRepository(folder: string, trap: string): void {
  mkdirSync(folder, { recursive: true });
  git(folder, "init", "-q");
  git(folder, ...AS_AGENT, "commit", "-q", "--allow-empty", "-m", "x");
  git(folder, "config", "core.fsmonitor", trap);
}

const VECTORS: readonly Vector[] = [
  {
    name: "a file system monitor",
    plant: (slot, trap) => void git(slot, "config", "core.fsmonitor", trap),
    fallFor: status,
  },
  { name: "a clean filter", plant: attribute("* filter=evil", "filter.evil.clean"), fallFor: addAll },
  {
    name: "a smudge filter",
    plant: attribute("* filter=evil", "filter.evil.smudge"),
    fallFor(slot) {
      rmSync(join(slot, "b.txt"));
      git(slot, "checkout", "--", "b.txt");
    },
  },
  {
    name: "a filter process",
    plant: attribute("* filter=evil", "filter.evil.process"),
    fallFor(slot) {
      expect(() => addAll(slot)).not.toThrow();
    },
  },
  {
    name: "a diff driver",
    plant: attribute("* diff=evil", "diff.evil.command"),
    fallFor: (slot) => {
      writeFiles(slot, { "b.txt": "changed\n" });
      git(slot, "diff");
    },
  },
  {
    name: "a text conversion for diffs",
    plant: attribute("* diff=evil", "diff.evil.textconv"),
    fallFor: (slot) => {
      writeFiles(slot, { "b.txt": "changed\n" });
      git(slot, "diff");
    },
  },
  {
    name: "an external diff",
    plant: (slot, trap) => void git(slot, "config", "diff.external", trap),
    fallFor: (slot) => {
      writeFiles(slot, { "b.txt": "changed\n" });
      git(slot, "diff");
    },
  },
  {
    name: "a merge driver",
    plant(slot, trap, { repo }) {
      git(slot, "config", "merge.evil.driver", trap);
      writeFiles(join(repo.root, ".git/info"), { attributes: "* merge=evil\n" });
    },
    fallFor(slot) {
      const base = git(slot, "rev-parse", "HEAD");
      const side = (text: string): string => {
        git(slot, "checkout", "-q", "-f", "--detach", base);
        writeFiles(slot, { "a.txt": text });
        git(slot, ...AS_AGENT, "commit", "-qam", "side");
        return git(slot, "rev-parse", "HEAD");
      };
      const other = side("0\n2\n3\n");
      side("1\n2\n4\n");
      git(slot, ...AS_AGENT, "merge", "-q", "-m", "m", other);
    },
  },
  {
    name: "a hook on every change of a ref",
    plant: hook("reference-transaction"),
    fallFor: (slot) => void git(slot, "update-ref", "refs/x", "HEAD"),
  },
  {
    name: "a hook after checkouts",
    plant: hook("post-checkout"),
    fallFor: (slot) => void git(slot, "checkout", "-q", "-f", "--detach", "HEAD"),
  },
  { name: "a hook after changes of the index", plant: hook("post-index-change"), fallFor: addAll },
  {
    name: "another folder for hooks",
    plant(slot, trap) {
      writeFiles(slot, { "hooks/post-checkout": `#!/bin/sh\n${trap} </dev/null\n` });
      chmodSync(join(slot, "hooks/post-checkout"), 0o755);
      git(slot, "config", "core.hooksPath", join(slot, "hooks"));
    },
    fallFor(slot) {
      git(slot, "checkout", "-q", "-f", "--detach", "HEAD");
    },
  },
  {
    name: "a pointer to a repository of the agent's",
    plant(slot, trap) {
      const own = join(slot, "..", "own");
      hostileRepository(own, trap);
      writeFileSync(join(slot, ".git"), `gitdir: ${own}/.git\n`);
    },
    fallFor: status,
  },
  {
    name: "an embedded bare repository",
    plant(slot, trap) {
      git(slot, "init", "-q", "--bare", "bare");
      git(join(slot, "bare"), "config", "core.bare", "false");
      git(join(slot, "bare"), "config", "core.worktree", ".");
      git(join(slot, "bare"), "config", "core.fsmonitor", trap);
      writeFiles(slot, { "bare/objects/x": "", "bare/refs/x": "" });
    },
    fallFor: (slot) => status(join(slot, "bare")),
  },
  {
    name: "a repository inside",
    plant: (slot, trap) => hostileRepository(join(slot, "nested"), trap),
    fallFor: (slot) => status(join(slot, "nested")),
  },
  {
    name: "a repository in a tracked folder",
    plant: (slot, trap) => hostileRepository(join(slot, "src"), trap),
    fallFor: (slot) => status(join(slot, "src")),
  },
  {
    name: "a repository in the folder of a submodule",
    plant: (slot, trap) => hostileRepository(join(slot, "sub"), trap),
    fallFor: status,
  },
  {
    name: "an included file of settings",
    plant(slot, trap) {
      writeFiles(join(slot, ".."), { "more-settings": `[core]\n\tfsmonitor = ${trap}\n` });
      git(slot, "config", "include.path", join(slot, "..", "more-settings"));
    },
    fallFor: status,
  },
  {
    name: "settings of the work tree",
    plant(slot, trap) {
      git(slot, "config", "extensions.worktreeConfig", "true");
      git(slot, "config", "--worktree", "core.fsmonitor", trap);
    },
    fallFor: status,
  },
  {
    name: "a program that signs commits",
    plant(slot, trap) {
      git(slot, "config", "commit.gpgSign", "true");
      git(slot, "config", "log.showSignature", "true");
      git(slot, "config", "gpg.program", trap);
    },
    fallFor(slot) {
      expect(() => git(slot, ...AS_AGENT, "commit", "-q", "--allow-empty", "-m", "x")).toThrow();
    },
  },
  {
    name: "settings in Loom's own git directory",
    plant(_slot, trap, { repo }) {
      for (const folder of trustedFolders(repo.root)) {
        writeFiles(folder, {
          config: `[core]\n\tbare = true\n\tfsmonitor = ${trap}\n[filter "evil"]\n\tclean = ${trap}\n\tsmudge = ${trap}\n`,
          "info/attributes": "* filter=evil\n",
          commondir: ".\n",
        });
      }
    },
    fallFor: null,
  },
];

function trustedFolders(root: string): string[] {
  const parent = join(root, ".git/loom/git");
  return readdirSync(parent).map((name) => join(parent, name));
}

/** Everything that Loom does in the life of a stage. */
async function workAllDay(bench: Bench, tree: WorkTree, forge: Awaited<ReturnType<typeof createLocalForge>>) {
  const { repo, workspace } = bench;
  const base = repo.sha("main");
  writeFiles(tree.path, { "b.txt": "the agent's work\n", "a.txt": "one\n2\n3\n" });
  await workspace.commit(tree, commitSpec(base));
  const kept = await workspace.commit(tree, commitSpec(base, { onForbidden: "strip" }));
  if (kept.kind !== "committed") throw new Error("nothing was kept");
  await workspace.fill(tree, kept.commit);
  await workspace.close(tree);
  const clean = await workspace.open(kept.commit);
  await workspace.close(clean);
  const side = await commitFiles(workspace, base, { "a.txt": "1\n2\nthree\n" });
  const conflicting = await commitFiles(workspace, base, { "a.txt": "uno\n2\n3\n" });
  const merged = await workspace.transplant(side, kept.commit);
  expect(merged.kind).toBe("clean");
  expect((await workspace.transplant(conflicting, kept.commit)).kind).toBe("conflict");
  await workspace.diff(base, kept.commit, { maxBytes: 1000 });
  await workspace.listFiles(kept.commit);
  await workspace.readFile(kept.commit, "b.txt", 1000);
  await forge.publish({ run: "r", stage: "s", commit: kept.commit, previous: null });
  await forge.merge({ run: "r", stage: "s", commit: kept.commit, onto: base });
  await forge.findMerged("r", "s", base);
  await forge.record({ run: "r", files: { ".loom/r/PLAN.md": "x" }, message: "Record" });
  await forge.cleanUp("r", []);
  const last = await workspace.open(base);
  await workspace.close(last);
}

describe("git metadata that starts programs", () => {
  it.each(VECTORS)("stays without effect: $name", async ({ plant, fallFor }) => {
    const repo = makeRepo(FILES);
    repo.git("update-index", "--add", "--cacheinfo", `160000,${repo.sha("HEAD")},sub`);
    repo.git("commit", "-qm", "with a submodule");
    mkdirSync(join(repo.root, "sub"));
    const start = repo.sha("main");
    const bench = await makeBench(repo);
    const forge = await createLocalForge({ git: bench.repoGit, target: "main" });
    const trap = makeTrap();
    const tree = await bench.workspace.open(start);
    plant(tree.path, trap.command, bench);
    await workAllDay(bench, tree, forge);
    await bench.workspace.dispose();
    expect(trap.sprung()).toBe(false);

    if (!fallFor) return;
    const slot = join(tempFolder(), "control");
    const live = makeTrap();
    repo.git("-c", "core.fsmonitor=false", "worktree", "add", "-q", "-f", "--detach", slot, start);
    plant(slot, live.command, bench);
    fallFor(slot);
    expect(live.sprung()).toBe(true);
  });
});
