import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  isDraft,
  removeOldDrafts,
  replaceFile,
  replaceFileSync,
  replaceWithCopySync,
} from "../../../src/adapters/os/replace-file.ts";
import { compileSources } from "../../support/compile-sources.ts";
import { tempFolder } from "../../support/git-repo.ts";

let compiled: Awaited<ReturnType<typeof compileSources>>;
let folder: string;
let path: string;

beforeAll(async () => {
  compiled = await compileSources(["src/adapters/os/replace-file.ts"]);
});
afterAll(() => compiled.dispose());
beforeEach(() => {
  folder = tempFolder();
  path = join(folder, "some.file");
});

type Replace = (path: string, text: string) => void | Promise<void>;

const ways: readonly [string, Replace][] = [
  ["replaceFile", (at, text) => replaceFile(at, text)],
  ["replaceFile, durable", (at, text) => replaceFile(at, text, { durable: true })],
  ["replaceFileSync", (at, text) => replaceFileSync(at, text)],
  [
    "replaceWithCopySync",
    (at, text) => {
      const source = join(tempFolder(), "source");
      writeFileSync(source, text, { mode: 0o600 });
      replaceWithCopySync(at, source);
    },
  ],
];

describe.each(ways)("a file that is replaced whole, by %s", (_way, replace) => {
  it("has the new text, is its owner's alone, and nothing is left beside it", async () => {
    await replace(path, "one");
    chmodSync(path, 0o644);
    await replace(path, "two");
    expect(readFileSync(path, "utf8")).toBe("two");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["some.file"]);
  });

  it("takes the place of a link, and what the link leads to stays as it was", async () => {
    const precious = join(tempFolder(), "precious");
    writeFileSync(precious, "keep me");
    symlinkSync(precious, path);
    await replace(path, "mine");
    expect(readFileSync(path, "utf8")).toBe("mine");
    expect(readFileSync(precious, "utf8")).toBe("keep me");
  });

  it("takes the place of a link that leads nowhere, and makes nothing there", async () => {
    const nowhere = join(tempFolder(), "nowhere");
    symlinkSync(nowhere, path);
    await replace(path, "mine");
    expect(readFileSync(path, "utf8")).toBe("mine");
    expect(existsSync(nowhere)).toBe(false);
  });

  it("may have the longest name that a file can have", async () => {
    const name = "n".repeat(255);
    await replace(join(folder, name), "text");
    expect(readdirSync(folder)).toEqual([name]);
  });

  it("leaves no draft where it can't stand", async () => {
    mkdirSync(join(path, "full"), { recursive: true });
    await expect(async () => replace(path, "text")).rejects.toMatchObject({
      code: expect.stringMatching(/^(EISDIR|EEXIST|ENOTEMPTY|EPERM)$/),
    });
    expect(readdirSync(folder)).toEqual(["some.file"]);
    await expect(async () => replace(join(folder, "none/file"), "text")).rejects.toMatchObject({
      code: "ENOENT",
    });
  });

  it("is never seen half", async () => {
    const texts = ["a", "b"].map((letter) => letter.repeat(300_000));
    await replace(path, texts[0] ?? "");
    let over = false;
    const seen = new Set<string>();
    const look = async (): Promise<void> => {
      while (!over) seen.add(await readFile(path, "utf8"));
    };
    const looking = look();
    for (let round = 0; round < 20; round += 1) {
      await replace(path, texts[round % 2] ?? "");
      await new Promise((resolve) => setImmediate(resolve));
    }
    over = true;
    await looking;
    expect([...seen].filter((text) => !texts.includes(text))).toEqual([]);
  });
});

describe("a file that is replaced whole", () => {
  it.each(["replaceFile", "replaceFileSync"])(
    "keeps its old text and leaves no draft when the disk takes no more of the new one, by %s",
    (name) => {
      writeFileSync(path, "old");
      const script = `
        const files = await import(${JSON.stringify(join(compiled.root, "src/adapters/os/replace-file.js"))});
        try {
          await files.${name}(process.argv[1], "x".repeat(1_000_000));
        } catch (error) {
          console.log(error.code);
        }`;
      // A limit of the process stands in for the end of a disk.
      const limited = 'ulimit -f 16; exec "$0" "$@"';
      const args = ["-c", limited, process.execPath, "--input-type=module", "-e", script, path];
      const { stdout, stderr } = spawnSync("/bin/sh", args, { encoding: "utf8" });
      expect([stdout, stderr]).toEqual(["EFBIG\n", ""]);
      expect(readFileSync(path, "utf8")).toBe("old");
      expect(readdirSync(folder)).toEqual(["some.file"]);
    },
  );

  it("may be open to others, as far as the process's mask lets it", async () => {
    const before = process.umask(0o022);
    try {
      await replaceFile(path, "text", { mode: 0o666 });
      expect(statSync(path).mode & 0o777).toBe(0o644);
      replaceFileSync(path, "text", { mode: 0o640 });
      expect(statSync(path).mode & 0o777).toBe(0o640);
    } finally {
      process.umask(before);
    }
  });

  it("leaves drafts, after a crash, that are told by their names and removed once they are old", async () => {
    const now = Date.now();
    for (const [name, minutes] of [
      [".draft-old", 61],
      [".draft-young", 59],
      ["some.file", 61],
    ] as const) {
      writeFileSync(join(folder, name), "");
      utimesSync(join(folder, name), now / 1000 - minutes * 60, now / 1000 - minutes * 60);
    }
    expect(readdirSync(folder).filter(isDraft).sort()).toEqual([".draft-old", ".draft-young"]);
    await removeOldDrafts(folder, now);
    expect(readdirSync(folder).sort()).toEqual([".draft-young", "some.file"]);
  });
});
