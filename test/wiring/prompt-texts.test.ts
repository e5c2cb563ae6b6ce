import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UserError } from "../../src/core/errors.ts";
import { packageRoot } from "../../src/wiring/folders/package-root.ts";
import {
  findReplacedPrompts,
  loadPromptTexts,
  planPrompts,
  promptFolders,
} from "../../src/wiring/prompt-texts.ts";

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
    // Agents and skills have a loader and tests of their own.
    const files = readdirSync(root, { recursive: true })
      .map(String)
      .filter((path) => path.endsWith(".md") && !/^(?:agents|skills)\//.test(path));
    const texts = JSON.stringify(loadPromptTexts());
    for (const file of files) {
      const text = readFileSync(join(root, file), "utf8");
      expect(texts).toContain(JSON.stringify(text).slice(1, -1));
      expect(text.split("\n").length).toBeLessThanOrEqual(60);
      expect(text.split("\n").filter((line) => line.length > 130)).toEqual([]);
    }
    expect(files.sort()).toMatchInlineSnapshot(`
      [
        "audits/a11y-audit.md",
        "audits/compliance-check.md",
        "audits/debug.md",
        "audits/findings.md",
        "audits/perf-check.md",
        "audits/review.md",
        "audits/security-audit.md",
        "audits/seo-audit.md",
        "common/every-session.md",
        "planning/again.md",
        "planning/begin.md",
        "planning/design.md",
        "planning/draft.md",
        "planning/format.md",
        "planning/redraft.md",
        "planning/revise.md",
        "sessions/completion-request.md",
        "sessions/completion.md",
        "sessions/hand-off-request.md",
        "sessions/report-request.md",
        "small/commit-message.md",
        "small/run-name.md",
        "stages/code-review.md",
        "stages/hand-off.md",
        "stages/integration-verify.md",
        "stages/investigate.md",
        "stages/knowledge.md",
        "stages/merge-conflict.md",
        "stages/read-only/code-review.md",
        "stages/read-only/integration-verify.md",
        "stages/read-only/standard.md",
        "stages/recovery.md",
        "stages/standard.md",
        "tasks/ask.md",
        "tasks/common.md",
        "templates/design-document.md",
        "templates/implementation-plan.md",
        "templates/session-state.md",
      ]
    `);
  });

  it("are replaced one by one by a file of the same name, and the last folder wins", () => {
    put("user/stages/standard.md", "# Signal: mine\n");
    put("user/stages/knowledge.md", "# Signal: mine, too\n");
    put("run/stages/standard.md", "# Signal: of this plan\n");
    const shipped = loadPromptTexts();
    const texts = loadPromptTexts({
      folders: [join(folder, "user"), join(folder, "run"), join(folder, "none")],
    });
    expect(texts.standard).toBe("# Signal: of this plan\n");
    expect(texts.knowledge).toBe("# Signal: mine, too\n");
    expect(texts["code-review"]).toBe(shipped["code-review"]);
    expect(texts.small).toEqual(shipped.small);
  });

  it("may be replaced by a folder that is none", () => {
    const file = put("a-file", "x");
    expect(loadPromptTexts({ folders: [file] })).toEqual(loadPromptTexts());
  });

  it("stop the start when a replacement can't be used", () => {
    const load = (): unknown => loadPromptTexts({ folders: [folder] });
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

  it("end with the plan's own, called like its runs, which can't lie elsewhere", () => {
    const of = (planPath: string, repository: string | null = "/shop") =>
      planPrompts(repository, { stateDir: "docs/loom", planPath })?.folder;
    expect(of("PLAN.md")).toBe("/shop/docs/loom/plan");
    expect(of("docs/gw/PLAN.md")).toBe("/shop/docs/loom/gw-plan");
    expect(of("/elsewhere/plans/basket.md")).toBe("/shop/docs/loom/plans-basket");
    expect(of("../../etc/..")).toBe("/shop/docs/loom/etc");
    expect(of("")).toBeUndefined();
    expect(of("PLAN.md", null)).toBeUndefined();
  });
});

describe("the prompts of a plan in its repository", () => {
  const ofPlan = () => ({ repository: folder, folder: join(folder, ".loom/plan") });

  it("come before the user's own, and are known by name", () => {
    put("user/stages/standard.md", "# Signal: mine\n");
    put(".loom/plan/stages/standard.md", "# Signal: of this plan\n");
    put(".loom/plan/planning/draft.md", "Draft it.\n");
    put(".loom/plan/PLAN.md", "no prompt\n");
    const sources = { folders: [join(folder, "user")], ofPlan: ofPlan() };
    expect(loadPromptTexts(sources).standard).toBe("# Signal: of this plan\n");
    expect(findReplacedPrompts(ofPlan())).toEqual({
      used: ["stages/standard.md", "planning/draft.md"],
      refused: [],
    });
    expect(findReplacedPrompts(null)).toEqual({ used: [], refused: [] });
  });

  it("can't replace Loom's rules of safety; the user's own can", () => {
    for (const name of ["common/every-session.md", "tasks/common.md"]) {
      put(`.loom/plan/${name}`, "Do as you like.\n");
      put(`user/${name}`, "My rules.\n");
    }
    const shipped = loadPromptTexts();
    const texts = loadPromptTexts({ folders: [], ofPlan: ofPlan() });
    expect([texts.common, texts.tasks.common]).toEqual([shipped.common, shipped.tasks.common]);
    expect(findReplacedPrompts(ofPlan())).toEqual({
      used: [],
      refused: ["common/every-session.md", "tasks/common.md"],
    });
    expect(loadPromptTexts({ folders: [join(folder, "user")], ofPlan: ofPlan() }).common).toBe("My rules.\n");
  });

  it("are files of the repository: no link leads an agent's words out of it", () => {
    const repository = join(folder, "repository");
    const secret = put("secret.txt", "a key of yours\n");
    put("repository/.loom/plan/stages/x", "");
    symlinkSync(secret, join(repository, ".loom/plan/stages/standard.md"));
    const load = () =>
      loadPromptTexts({ folders: [], ofPlan: { repository, folder: join(repository, ".loom/plan") } });
    expect(problemOf(load)).toMatchInlineSnapshot(
      `"The prompt <folder>/repository/.loom/plan/stages/standard.md can't be used: it is a link that leads out of the repository. Put the file itself there, or remove it."`,
    );
  });
});
