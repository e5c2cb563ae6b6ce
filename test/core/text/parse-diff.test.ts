import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { type FileDiff, parseDiff } from "../../../src/core/text/parse-diff.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** What git itself says about a change of these files. */
function realDiff(before: Record<string, string | Buffer>, change: (root: string) => void): string {
  const root = mkdtempSync(join(tmpdir(), "loom-diff-"));
  folders.push(root);
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "core.autocrlf=false", "-c", "core.fileMode=true", ...args], {
      cwd: root,
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: "1" },
    });
  git("init", "-q");
  for (const [name, content] of Object.entries(before)) writeFileSync(join(root, name), content);
  git("add", "-A");
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "one");
  change(root);
  git("add", "-A");
  return git("diff", "--cached", "-M", "HEAD");
}

function shown(files: readonly FileDiff[]): string {
  return files
    .map(({ path, oldPath, status, binary, hunks }) =>
      [
        `${status}${binary ? " binary" : ""} ${JSON.stringify(path)}${oldPath === path ? "" : ` from ${JSON.stringify(oldPath)}`}`,
        ...hunks.map(
          ({ start, lines }) =>
            `  ${start}: ${lines.map(({ added, text }) => `${added ? "+" : "="}${JSON.stringify(text)}`).join(" ")}`,
        ),
      ].join("\n"),
    )
    .join("\n");
}

const LINES = Array.from({ length: 12 }, (_, n) => `line ${n + 1}\n`).join("");

describe("a diff", () => {
  it("of git is read with all it can say", () => {
    const diff = realDiff(
      {
        "changed.txt": LINES,
        "gone.txt": "-- was a comment\n",
        "old name.txt": LINES,
        "mode.sh": "echo\n",
        "picture.bin": Buffer.from([0, 1, 2]),
        "no-end.txt": "a\nb",
        "dos.txt": "a\r\nb\r\n",
        'qu"oté\t.txt': "x\n",
      },
      (root) => {
        writeFileSync(
          join(root, "changed.txt"),
          LINES.replace("line 2\n", "++ two\nand more\n").replace("line 11\n", ""),
        );
        rmSync(join(root, "gone.txt"));
        renameSync(join(root, "old name.txt"), join(root, "new name.txt"));
        writeFileSync(join(root, "new name.txt"), LINES.replace("line 1\n", "first\n"));
        chmodSync(join(root, "mode.sh"), 0o755);
        writeFileSync(join(root, "picture.bin"), Buffer.from([0, 1, 3]));
        writeFileSync(join(root, "no-end.txt"), "a\nc");
        writeFileSync(join(root, "dos.txt"), "a\r\nc\r\n");
        writeFileSync(join(root, 'qu"oté\t.txt'), "y\n");
        writeFileSync(join(root, "empty.txt"), "");
        writeFileSync(join(root, "with b space.txt"), "diff --git a/x b/x\n@@ -1 +1 @@\n");
      },
    );
    expect(shown(parseDiff(diff))).toMatchInlineSnapshot(`
      "modified "changed.txt"
        1: ="line 1" +"++ two" +"and more" ="line 3" ="line 4" ="line 5"
        9: ="line 8" ="line 9" ="line 10" ="line 12"
      modified "dos.txt"
        1: ="a" +"c"
      added "empty.txt" from null
      deleted "gone.txt"
        0: 
      modified "mode.sh"
      renamed "new name.txt" from "old name.txt"
        1: +"first" ="line 2" ="line 3" ="line 4"
      modified "no-end.txt"
        1: ="a" +"c"
      modified binary "picture.bin"
      modified "qu\\"oté\\t.txt"
        1: +"y"
      added "with b space.txt" from null
        1: +"diff --git a/x b/x" +"@@ -1 +1 @@""
    `);
  });

  it("that was cut says what is left of it", () => {
    const diff = realDiff({ "a.txt": LINES }, (root) => {
      writeFileSync(join(root, "a.txt"), LINES.replace("line 6\n", "six\nand a half\n"));
      writeFileSync(join(root, "b.txt"), "new\n");
    });
    const whole = parseDiff(diff);
    for (let end = 0; end <= diff.length; end += 1) {
      for (const [index, file] of parseDiff(diff.slice(0, end)).entries()) {
        const known = whole[index]?.hunks ?? [];
        for (const [at, hunk] of file.hunks.entries()) {
          expect(hunk.start).toBe(known[at]?.start);
          expect(hunk.lines.length).toBeLessThanOrEqual(known[at]?.lines.length ?? 0);
        }
      }
    }
    expect(shown(parseDiff(`${diff.slice(0, 160)}\n\n… (200 more characters)`))).toMatchInlineSnapshot(`
      "modified "a.txt"
        3: ="line 3" ="line 4" ="line 5" +"six" +"and a half" ="line 7" ="""
    `);
  });

  it("may come from elsewhere", () => {
    expect(
      shown(
        parseDiff(
          "--- x.c\t2020-01-01\n+++ x.c\t2020-01-02\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n--- y.c\n+++ y.c\n@@ -0,0 +1 @@\n+d\n",
        ),
      ),
    ).toMatchInlineSnapshot(`
      "modified "x.c"
        1: ="a" +"c"
      modified "y.c"
        1: +"d""
    `);
    expect(
      shown(
        parseDiff("diff --cc a.txt\nindex 1,2..3\n--- a/a.txt\n+++ b/a.txt\n@@@ -1,1 -1,1 +1,1 @@@\n++x\n"),
      ),
    ).toMatchInlineSnapshot(`"modified "a.txt""`);
    expect(
      shown(parseDiff("diff --git a/x b/x\r\n--- a/x\r\n+++ b/x\r\n@@ -1,2 +1,3 @@\r\n a\r\n\r\n+b\r\n")),
    ).toMatchInlineSnapshot(`
      "modified "x"
        1: ="a" ="" +"b""
    `);
    expect(
      shown(
        parseDiff(
          'diff --git "a/\\303\\244" "b/\\303\\244"\nnew file mode 100644\nBinary files /dev/null and "b/\\303\\244" differ\n',
        ),
      ),
    ).toMatchInlineSnapshot(`"added binary "ä" from null"`);
  });

  it("has the lines of the new file, whatever stands in them", () => {
    const line = fc.oneof(
      fc.constantFrom(
        "",
        "+",
        "-",
        "--- a/x",
        "+++ b/x",
        "@@ -1 +1 @@",
        "diff --git a/x b/x",
        "\\ No newline",
        " ",
        "\r",
      ),
      fc.string({ maxLength: 8 }).map((text) => text.replaceAll("\n", "")),
    );
    const part = fc.record({ mark: fc.constantFrom("+", "-", " "), text: line });
    const file = fc.array(
      fc.record({
        gap: fc.integer({ min: 1, max: 50 }),
        parts: fc.array(part, { minLength: 1, maxLength: 10 }),
      }),
      { minLength: 1, maxLength: 3 },
    );
    fc.assert(
      fc.property(fc.array(file, { maxLength: 3 }), (files) => {
        let text = "";
        const expected: { path: string; lines: { number: number; text: string; added: boolean }[] }[] = [];
        for (const [index, hunks] of files.entries()) {
          const lines: { number: number; text: string; added: boolean }[] = [];
          text += `diff --git a/f${index} b/f${index}\n--- a/f${index}\n+++ b/f${index}\n`;
          let [old, fresh] = [1, 1];
          for (const { gap, parts } of hunks) {
            old += gap;
            fresh += gap;
            const olds = parts.filter(({ mark }) => mark !== "+").length;
            const news = parts.filter(({ mark }) => mark !== "-").length;
            text += `@@ -${old},${olds} +${fresh},${news} @@ f()\n`;
            for (const { mark, text: words } of parts) {
              text += `${mark}${words}\n`;
              if (mark !== "-")
                lines.push({ number: fresh++, text: words.replace(/\r$/, ""), added: mark === "+" });
              if (mark !== "+") old += 1;
            }
          }
          expected.push({ path: `f${index}`, lines });
        }
        const read = parseDiff(text).map(({ path, hunks }) => ({
          path,
          lines: hunks.flatMap(({ start, lines }) =>
            lines.map((one, at) => ({ number: start + at, ...one })),
          ),
        }));
        expect(read).toEqual(expected);
      }),
    );
  });

  it("never throws and takes its time only once", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => void parseDiff(text)));
    const before = process.cpuUsage();
    parseDiff(`diff --git ${"a/ ".repeat(200_000)}`);
    parseDiff(`--- "${"\\".repeat(300_000)}`);
    parseDiff("--- a\n+++ b\n@@ -1 +1 @@\n".repeat(50_000));
    parseDiff(`--- a\n+++ b\n@@ -1,999999999 +1,999999999 @@\n${"+\n".repeat(200_000)}`);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(2_000);
  });
});
