import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UserError } from "../../src/core/errors.ts";
import { packageRoot } from "../../src/wiring/package-root.ts";
import { loadSignalTexts, promptFolders } from "../../src/wiring/signal-texts.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "loom-prompts-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function put(path: string, text: string | Uint8Array): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function problemOf(load: () => unknown): string {
  try {
    load();
  } catch (error) {
    if (error instanceof UserError) return `${error.message} ${error.next}`.replaceAll(folder, "<folder>");
    throw error;
  }
  return "none";
}

describe("the prompts", () => {
  it("are all shipped, all loaded, and none is longer than 60 lines", () => {
    const root = join(packageRoot(), "prompts");
    const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const texts = JSON.stringify(loadSignalTexts());
    for (const file of files) {
      const text = readFileSync(join(file.parentPath, file.name), "utf8");
      expect(texts).toContain(JSON.stringify(text).slice(1, -1));
      expect(text.split("\n").length).toBeLessThanOrEqual(60);
      expect(text.split("\n").filter((line) => line.length > 130)).toEqual([]);
    }
    expect(files.map(({ name }) => name).sort()).toMatchInlineSnapshot(`
      [
        "code-review.md",
        "commit-message.md",
        "completion-request.md",
        "completion.md",
        "every-session.md",
        "hand-off-request.md",
        "hand-off.md",
        "integration-verify.md",
        "investigate.md",
        "knowledge.md",
        "merge-conflict.md",
        "recovery.md",
        "report-request.md",
        "run-name.md",
        "standard.md",
      ]
    `);
  });

  it("are replaced one by one by a file of the same name, and the last folder wins", () => {
    put("user/stages/standard.md", "# Signal: mine\n");
    put("user/stages/knowledge.md", "# Signal: mine, too\n");
    put("run/stages/standard.md", "# Signal: of this plan\n");
    const shipped = loadSignalTexts();
    const texts = loadSignalTexts({
      folders: [join(folder, "user"), join(folder, "run"), join(folder, "none")],
    });
    expect(texts.standard).toBe("# Signal: of this plan\n");
    expect(texts.knowledge).toBe("# Signal: mine, too\n");
    expect(texts["code-review"]).toBe(shipped["code-review"]);
    expect(texts.small).toEqual(shipped.small);
  });

  it("may be replaced by a folder that is none", () => {
    const file = put("a-file", "x");
    expect(loadSignalTexts({ folders: [file] })).toEqual(loadSignalTexts());
  });

  it("stop the start when a replacement can't be used", () => {
    const load = (): unknown => loadSignalTexts({ folders: [folder] });
    const tries: readonly (readonly [string, () => void])[] = [
      ["stages/standard.md", () => put("stages/standard.md", " \n")],
      ["stages/recovery.md", () => mkdirSync(join(folder, "stages/recovery.md"), { recursive: true })],
      ["stages/knowledge.md", () => put("stages/knowledge.md", "x".repeat(12_001))],
      ["common/every-session.md", () => put("common/every-session.md", new Uint8Array([0x41, 0xff, 0xfe]))],
      ["small/run-name.md", () => put("small/run-name.md", "Give it a name.")],
      [
        "sessions/completion.md",
        () => execFileSync("mkfifo", [join(dirname(put("sessions/x", "")), "completion.md")]),
      ],
    ];
    const problems = tries.map(([path, make]) => {
      make();
      const problem = problemOf(load);
      rmSync(join(folder, path), { recursive: true });
      return problem;
    });
    expect(problems).toMatchInlineSnapshot(`
      [
        "The prompt <folder>/stages/standard.md can't be used: it is empty. Write what Loom should say to agents, or remove the file.",
        "The prompt <folder>/stages/recovery.md can't be used: it is not a file. Put a text file in its place, or remove it.",
        "The prompt <folder>/stages/knowledge.md can't be used: it has 12001 bytes, more than 12000. Shorten it.",
        "The prompt <folder>/common/every-session.md can't be used: it is not UTF-8. Save it as UTF-8.",
        "The prompt <folder>/small/run-name.md can't be used: {{plan}} is missing. Write {{plan}} where Loom is to fill in the rest.",
        "The prompt <folder>/sessions/completion.md can't be used: it is not a file. Put a text file in its place, or remove it.",
      ]
    `);
  });
});

describe("the folders of prompts", () => {
  it("are the user's own, by the variable, by XDG, or below the home", () => {
    expect(promptFolders({ LOOM_CONFIG: "/etc/loom", XDG_CONFIG_HOME: "/xdg" }, "/home/sam")).toEqual([
      "/etc/loom",
    ]);
    expect(promptFolders({ XDG_CONFIG_HOME: "/xdg" }, "/home/sam")).toEqual(["/xdg/loom"]);
    expect(promptFolders({ XDG_CONFIG_HOME: "xdg", LOOM_CONFIG: "" }, "/home/sam")).toEqual([
      "/home/sam/.config/loom",
    ]);
  });

  it("end with the plan's own, which can't lie elsewhere", () => {
    const folders = (label: string) => promptFolders({}, "/home/sam", { repository: "/shop", label });
    expect(folders("basket")).toEqual(["/home/sam/.config/loom", "/shop/.loom/basket"]);
    expect(folders("../../etc")).toEqual(["/home/sam/.config/loom"]);
  });
});
