import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readLooseObject } from "../../../../src/adapters/git/objects/read-loose-object.ts";
import { type Bench, makeBench, makeRepo } from "../../../support/git-repo.ts";

const asked = ({ calls }: Bench): number => calls.filter(({ args }) => args[0] === "cat-file").length;

describe("an object with a file of its own", () => {
  it("is read without a process, as git reads it", async () => {
    const bench = await makeBench(makeRepo({ "a.txt": "a\n", "b/c.bin": "\0\u00ff" }));
    const { objects, repository } = bench.repoGit;
    for (const revision of ["HEAD", "HEAD^{tree}", "HEAD:a.txt", "HEAD:b", "HEAD:b/c.bin"]) {
      const name = bench.repo.sha(revision);
      const found = readLooseObject(repository, name);
      expect(await objects.read(name)).toEqual(found);
      expect(await objects.look(name)).toEqual({ type: found?.type, size: found?.size });
      expect(asked(bench)).toBe(0);
      expect(found?.type).toBe(bench.repo.git("cat-file", "-t", name));
      expect(String(found?.size)).toBe(bench.repo.git("cat-file", "-s", name));
    }
  });

  it("is git's to judge when it is packed, large, damaged, or not what it is called", async () => {
    const bench = await makeBench(makeRepo({ "a.txt": "a\n" }));
    const { repository, objects, store } = bench.repoGit;
    const fileOf = (name: string): string => join(repository.objectsDir, name.slice(0, 2), name.slice(2));
    const replace = (name: string, bytes: Buffer): void => {
      chmodSync(fileOf(name), 0o644);
      writeFileSync(fileOf(name), bytes);
    };
    const other = store("blob", Buffer.from("what it was"));
    replace(other, deflateSync(Buffer.from("blob 11\0what it is!")));
    expect(readLooseObject(repository, other)).toBeNull();
    const torn = store("blob", Buffer.from("torn"));
    replace(torn, Buffer.alloc(0));
    expect(readLooseObject(repository, torn)).toBeNull();
    const bomb = store("blob", Buffer.from("small"));
    replace(bomb, deflateSync(Buffer.alloc(40_000_000)));
    expect(readLooseObject(repository, bomb)).toBeNull();
    const large = store("blob", Buffer.alloc(2_000_000));
    expect(readLooseObject(repository, large)).toBeNull();
    expect(await objects.look(large)).toMatchObject({ type: "blob", size: 2_000_000 });
    expect(readLooseObject(repository, "../../config")).toBeNull();

    const head = bench.repo.sha("HEAD");
    bench.repo.git("repack", "-adq");
    bench.repo.git("prune-packed");
    expect(existsSync(fileOf(head))).toBe(false);
    expect(readLooseObject(repository, head)).toBeNull();
    expect((await objects.look(head))?.type).toBe("commit");
  });
});
