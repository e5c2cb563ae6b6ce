import { mkdirSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { boundOutput } from "../../../src/adapters/git/run/bound-output.ts";
import type { CommitOutcome } from "../../../src/ports/workspace.ts";
import { commitSpec, makeBench, makeRepo, writeFiles } from "../../support/git-repo.ts";

const LIMITS = { files: 20, megabytes: 1 };

async function commitOf(work: (root: string) => void, files: Record<string, string> = { "a.txt": "a\n" }) {
  const repo = makeRepo(files);
  const bench = await makeBench(repo);
  const base = repo.sha("HEAD");
  const tree = await bench.workspace.open(base);
  work(tree.path);
  const told = await bench.workspace.commit(tree, commitSpec(base, { limits: LIMITS }));
  const kept = await bench.workspace.commit(tree, commitSpec(base, { limits: LIMITS, onForbidden: "strip" }));
  return { told, kept, repo };
}

function messages(outcome: CommitOutcome): string[] {
  return outcome.kind === "refused"
    ? outcome.findings.map((one) => `${one.rule} ${one.path}: ${one.message}`)
    : [];
}

function many(root: string, count: number, folder = "out"): void {
  writeFiles(root, Object.fromEntries(Array.from({ length: count }, (_, at) => [`${folder}/${at}.txt`, ""])));
}

describe("a whole change", () => {
  it("of too many files is refused, nothing of it is stored, and nothing of it is kept", async () => {
    const { told, kept } = await commitOf((root) => {
      many(root, 21);
      writeFiles(root, { "one.txt": "only here\n" });
    });
    expect(messages(told)).toMatchInlineSnapshot(`
      [
        "change-too-large .: The change touches more than 20 files. Undo what does not belong to the stage, and ignore what tools generate in \`.gitignore\`. A larger change needs several stages; an operator can raise LOOM_LIMIT_CHANGE_FILES.",
      ]
    `);
    expect(kept.kind).toBe("unchanged");
  });

  it("of removed files counts as well", async () => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}`, "x\n"]));
    const { told } = await commitOf((root) => {
      for (const name of Object.keys(files)) truncateSync(join(root, name), 0);
    }, files);
    expect(told.kind).toBe("refused");
  });

  it("that is as large as allowed is taken", async () => {
    const { told } = await commitOf((root) => many(root, 20));
    expect(told).toMatchObject({ kind: "committed" });
  });

  it("of too many bytes is refused before anything is stored", async () => {
    const { told, kept } = await commitOf((root) => {
      for (const name of ["one", "two"]) {
        writeFiles(root, { [name]: "" });
        truncateSync(join(root, name), 600_000);
      }
    });
    expect(messages(told)).toMatchInlineSnapshot(`
      [
        "change-too-large .: The files of the change have 1.2 MB; at most 1 MB may be committed. Remove what does not belong to the stage, or ignore it in \`.gitignore\`. An operator can raise LOOM_LIMIT_CHANGE_MB.",
      ]
    `);
    expect(kept.kind).toBe("unchanged");
  });

  it("that is mostly installed packages says what to do about them, in one finding for all", async () => {
    const few = await commitOf((root) => {
      writeFiles(root, {
        "node_modules/.bin/git": "#!/bin/sh\n",
        "node_modules/a/index.js": "",
        "fine.txt": "",
      });
    });
    expect(messages(few.told)).toMatchInlineSnapshot(`
      [
        "protected-path node_modules: \`node_modules\` holds installed packages, which are never taken from an agent. Ignore it in \`.gitignore\`, or remove it.",
      ]
    `);
    expect(few.kept).toMatchObject({ kind: "committed", files: ["fine.txt"] });
    const large = await commitOf((root) => many(root, 100, "node_modules/x"));
    expect(messages(large.told).map((text) => text.split(":")[0])).toEqual([
      "change-too-large .",
      "protected-path node_modules",
    ]);
  });

  it("brings in no packages that the agent took off the list of ignored files", async () => {
    const { told, kept } = await commitOf(
      (root) =>
        writeFiles(root, { ".gitignore": "!node_modules\n", "sub/Node_Modules/.bin/git": "#!/bin/sh\n" }),
      { ".gitignore": "node_modules\n" },
    );
    expect(messages(told).map((text) => text.split(":")[0])).toEqual(["protected-path sub/Node_Modules"]);
    expect(kept).toMatchObject({ kind: "committed", files: [".gitignore"] });
  });

  it("holds no two names that are one on other systems, but may change how one is spelled", async () => {
    const { told } = await commitOf(
      (root) => {
        mkdirSync(join(root, "Src"));
        writeFiles(root, { "Src/one.ts": "", "README.md": "" });
      },
      { "src/one.ts": "1\n", "readme.txt": "x\n" },
    );
    expect(messages(told)).toMatchInlineSnapshot(`
      [
        "bad-name Src/one.ts: \`Src/one.ts\` and \`src/one.ts\` are one file on systems that don't tell such names apart. Rename it.",
      ]
    `);
  });
});

describe("boundOutput", () => {
  it("stops after the entries that are wanted and holds no more of them, however many come", async () => {
    const bound = boundOutput(1_000);
    let made = 0;
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.from(`path-${made++}\0`.repeat(100));
      })(),
      { signal: bound.signal },
    );
    bound.watch(endless);
    await new Promise((resolve) => endless.once("error", resolve));
    expect(bound.text()?.split("\0").length).toBeLessThan(1_200);
    expect(made).toBeLessThan(100);
  });

  it("says nothing where all was printed", async () => {
    const bound = boundOutput(2);
    const short = Readable.from([Buffer.from("a\0b\0")]);
    bound.watch(short);
    await new Promise((resolve) => short.once("end", resolve));
    expect(bound.text()).toBeNull();
  });
});
