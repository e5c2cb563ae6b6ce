import { existsSync, lstatSync, readdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  objectName,
  writeLargeObject,
  writeLooseObject,
} from "../../../../src/adapters/git/objects/loose-object.ts";
import { makeBench, tempFolder } from "../../../support/git-repo.ts";

/** Like the copy of a ledger of thousands of stages, also in how it can be compressed. */
function largeText(): string {
  return Array.from({ length: 80_000 }, (_, n) =>
    JSON.stringify({
      type: "stage-queued",
      stage: `stage-${n}`,
      mark: objectName("sha1", "blob", Buffer.from(`${n}`)),
    }),
  ).join("\n");
}

describe("a large object", () => {
  it("is written while the thread does other things, as git would write it", async () => {
    const { repo, repoGit } = await makeBench();
    const { objectsDir } = repoGit.repository;
    const text = largeText();
    const name = objectName("sha1", "blob", Buffer.from(text));
    let turns = 0;
    const count = (): void => {
      // From here on it is only written.
      if (existsSync(join(objectsDir, name.slice(0, 2)))) return;
      turns += 1;
      setImmediate(count);
    };
    setImmediate(count);
    const by = { name: "Loom", email: "loom@localhost", date: "@0 +0000" };
    const commit = await repoGit.storeCommit(
      { history: text, signature: "mine\n" },
      { message: "Copy\n", by },
    );
    expect(turns).toBeGreaterThan(100);
    expect(repo.sha(`${commit}:history`)).toBe(name);
    expect(repo.git("ls-tree", "--name-only", commit)).toBe("history\nsignature");
    expect(repo.git("cat-file", "-s", name)).toBe(String(text.length));
    repo.git("fsck", "--strict", commit);
    expect(await repoGit.storeCommit({ history: text, signature: "mine\n" }, { message: "Copy\n", by })).toBe(
      commit,
    );
  });

  it("is the same as one that is written at once, and counts as new when it is there already", async () => {
    const content = Buffer.from("much ".repeat(200_000));
    for (const objectFormat of ["sha1", "sha256"] as const) {
      const [one, other] = [tempFolder(), tempFolder()];
      const name = await writeLargeObject({ objectsDir: one, objectFormat }, "blob", content);
      expect(writeLooseObject({ objectsDir: other, objectFormat }, "blob", content)).toBe(name);
      const [here, there] = [one, other].map((folder) => join(folder, name.slice(0, 2), name.slice(2)));
      const bytes = (file = ""): Buffer => inflateSync(readFileSync(file));
      expect(bytes(here).equals(bytes(there))).toBe(true);
      expect(lstatSync(here ?? "").mode).toBe(lstatSync(there ?? "").mode);
      utimesSync(here ?? "", 0, 0);
      await writeLargeObject({ objectsDir: one, objectFormat }, "blob", content);
      expect(lstatSync(here ?? "").mtimeMs).toBeGreaterThan(0);
      expect(readdirSync(one, { recursive: true })).toHaveLength(2);
    }
  });
});
