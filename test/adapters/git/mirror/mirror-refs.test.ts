import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openMirrorDirectory, remotePlace } from "../../../../src/adapters/git/mirror/mirror-directory.ts";
import { rememberRefs } from "../../../../src/adapters/git/mirror/mirror-refs.ts";
import { writeLooseObject } from "../../../../src/adapters/git/objects/loose-object.ts";
import { createGit } from "../../../../src/adapters/git/run/git.ts";
import { compileSources } from "../../../support/compile-sources.ts";
import { git, tempFolder } from "../../../support/git-repo.ts";

async function aMirror() {
  const program = createGit();
  const repository = await openMirrorDirectory(program, join(tempFolder(), "mirror.git"));
  const place = remotePlace(repository);
  const calls: string[] = [];
  const tree = writeLooseObject(repository, "tree", Buffer.alloc(0));
  const commitOf = (n: number) =>
    writeLooseObject(
      repository,
      "commit",
      Buffer.from(`tree ${tree}\nauthor A <a@b> ${n} +0000\ncommitter A <a@b> ${n} +0000\n\n${n}\n`),
    );
  return {
    folder: place.gitDir,
    calls,
    commits: [commitOf(1), commitOf(2)] as const,
    remember: (found: Readonly<Record<string, string | null>>) =>
      rememberRefs(
        {
          folder: place.gitDir,
          run(call) {
            calls.push(call.command);
            return program.run(place, call);
          },
        },
        Object.keys(found),
        new Map(Object.entries(found).flatMap(([ref, sha]) => (sha === null ? [] : [[ref, sha]]))),
      ),
    refs: () =>
      git(
        repository.commonDir,
        "--git-dir",
        place.gitDir,
        "for-each-ref",
        "--format=%(refname) %(objectname)",
      )
        .split("\n")
        .map((line) => line.replace("refs/loom/remote/", "")),
  };
}

describe("the note of where fetched refs were", () => {
  it("is written, replaced and taken away as git would, without it", async () => {
    const { commits, remember, refs, calls } = await aMirror();
    const [one, two] = commits;
    const long = `refs/heads/${"long/".repeat(60)}`;
    await remember({ "refs/heads/a": one, "refs/heads/a/b%": two, [long]: one });
    expect(refs()).toHaveLength(3);
    await remember({ "refs/heads/a": two, [long]: null, "refs/heads/none": null });
    expect(refs()).toEqual([`heads%2Fa ${two}`, `heads%2Fa%2Fb%25 ${two}`]);
    expect(calls).toEqual([]);
  });

  it("is left to git where refs are packed, or another process holds one", async () => {
    const { folder, commits, remember, refs, calls } = await aMirror();
    const [one, two] = commits;
    await remember({ "refs/heads/a": one, "refs/heads/b": one });
    git(folder, "--git-dir", folder, "pack-refs", "--all");
    await remember({ "refs/heads/a": null, "refs/heads/b": two });
    expect(refs()).toEqual([`heads%2Fb ${two}`]);
    expect(calls).toEqual(["update-ref"]);

    const other = await aMirror();
    await other.remember({ "refs/heads/a": other.commits[0] });
    const lock = join(other.folder, "refs/loom/remote/heads%2Fa.lock");
    writeFileSync(lock, "");
    const failure = await rememberRefs(
      {
        folder: other.folder,
        async run(call) {
          expect(call.command).toBe("update-ref");
          throw new Error("the lock is held");
        },
      },
      ["refs/heads/a"],
      new Map([["refs/heads/a", other.commits[1]]]),
    ).catch(String);
    expect(failure).toContain("the lock is held");
    expect(existsSync(lock)).toBe(true);
  });

  it("that the disk has no room for leaves no lock behind, and git to say what is wrong", async () => {
    const { folder, commits, remember, refs, calls } = await aMirror();
    const [one, two] = commits;
    await remember({ "refs/heads/a": one });
    const { root, dispose } = await compileSources(["src/adapters/git/mirror/mirror-refs.ts"]);
    const program = `
      const { rememberRefs } = await import(${JSON.stringify(join(root, "src/adapters/git/mirror/mirror-refs.js"))});
      const asked = [];
      const run = async ({ command }) => void asked.push(command);
      const wanted = new Map([["refs/heads/a", "${two}"], ["refs/heads/new", "${two}"]]);
      await rememberRefs({ folder: ${JSON.stringify(folder)}, run }, [...wanted.keys()], wanted);
      console.log(asked.join());`;
    try {
      // A file can be made there, and nothing be written to it, as on a full disk.
      const words = ["-c", 'ulimit -f 0; exec "$0" --input-type=module -e "$1"', process.execPath, program];
      expect(execFileSync("/bin/sh", words, { encoding: "utf8" })).toBe("update-ref\n");
    } finally {
      await dispose();
    }
    expect(readdirSync(join(folder, "refs/loom/remote"))).toEqual(["heads%2Fa"]);
    expect(refs()).toEqual([`heads%2Fa ${one}`]);
    await remember({ "refs/heads/a": two, "refs/heads/new": two });
    expect(refs()).toEqual([`heads%2Fa ${two}`, `heads%2Fnew ${two}`]);
    expect(calls).toEqual([]);
  });
});
