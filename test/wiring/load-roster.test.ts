import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { UserError } from "../../src/core/errors.ts";
import { isReadOnly } from "../../src/core/plan/agent-profile.ts";
import { SKILL_NAMES } from "../../src/core/roster/roster.ts";
import { packageRoot } from "../../src/wiring/folders/package-root.ts";
import { loadRoster, openRoster } from "../../src/wiring/load-roster.ts";
import { tempFolder } from "../support/git-repo.ts";

const SHIPPED = loadRoster();

function put(folder: string, path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function agent(name: string, body: string): string {
  return `---
name: ${name}
description: Does something.
tools: [read]
capability: read-only
temperature: 0
max_turns: 5
timeout_mins: 5
---
${body}
`;
}

function problemOf(folder: string): string {
  try {
    loadRoster({ folders: [folder], disabled: [] });
  } catch (error) {
    if (error instanceof UserError)
      return `${error.message} ${error.next ?? ""}`.trim().replaceAll(folder, "<folder>");
    throw error;
  }
  return "none";
}

describe("the shipped roster", () => {
  it("has 22 agents with their means and limits", () => {
    const rows = [...SHIPPED.agents.values()].map(
      ({ name, capability, temperature, maxTurns, timeoutMins, skills }) =>
        `${name}: ${capability}, ${temperature}, ${maxTurns} turns, ${timeoutMins} min${skills.length > 0 ? `, ${skills.join(", ")}` : ""}`,
    );
    expect(rows).toMatchInlineSnapshot(`
      [
        "accessibility-specialist: read-shell, 0.2, 80 turns, 60 min",
        "analytics-engineer: full, 0.2, 140 turns, 150 min",
        "api-designer: read-only, 0.3, 60 turns, 45 min, design-dialogue",
        "architect: read-only, 0.3, 80 turns, 60 min, implementation-planning",
        "code-reviewer: read-only, 0.2, 80 turns, 60 min, code-review",
        "coder: full, 0.2, 200 turns, 240 min, execution",
        "compliance-reviewer: read-only, 0.1, 80 turns, 60 min",
        "content-strategist: read-only, 0.5, 60 turns, 45 min, design-dialogue",
        "copywriter: read-write, 0.7, 80 turns, 60 min",
        "data-engineer: full, 0.2, 180 turns, 240 min",
        "debugger: read-shell, 0.1, 120 turns, 90 min",
        "design-system-engineer: full, 0.3, 180 turns, 180 min",
        "devops-engineer: full, 0.2, 160 turns, 180 min, validation",
        "i18n-specialist: full, 0.2, 160 turns, 180 min, delegation",
        "performance-engineer: read-shell, 0.1, 120 turns, 90 min",
        "product-manager: read-write, 0.5, 60 turns, 45 min, design-dialogue",
        "refactor: full, 0.2, 200 turns, 240 min, delegation",
        "security-engineer: read-only, 0.1, 100 turns, 60 min, code-review",
        "seo-specialist: read-shell, 0.3, 80 turns, 60 min",
        "technical-writer: full, 0.4, 120 turns, 120 min",
        "tester: full, 0.2, 200 turns, 240 min, validation",
        "ux-designer: read-write, 0.5, 80 turns, 60 min, design-dialogue",
      ]
    `);
  });

  it("has the seven skills with their protocols", () => {
    const rows = SKILL_NAMES.map((name) => {
      const skill = SHIPPED.skills.get(name);
      return `${name}: ${skill?.protocols.map((one) => one.name).join(", ") ?? "missing"}`;
    });
    expect(rows).toMatchInlineSnapshot(`
      [
        "code-review: severity-protocol",
        "delegation: agent-base-protocol, filesystem-safety-protocol",
        "design-dialogue: questions-protocol",
        "execution: ",
        "implementation-planning: validation-protocol",
        "session-management: state-protocol",
        "validation: pipeline-discovery-protocol",
      ]
    `);
  });

  it("tells every agent its method, its decisions, its limits and what to hand over, in 35 to 70 lines", () => {
    for (const { name, body, description } of SHIPPED.agents.values()) {
      const headings = body.split("\n").filter((line) => line.startsWith("#"));
      expect([name, ...headings]).toEqual([
        name,
        "## Method",
        "## Decisions",
        "## Limits",
        "## To hand over",
      ]);
      const lines = body.split("\n");
      expect(lines.length).toBeGreaterThanOrEqual(35);
      expect(lines.length).toBeLessThanOrEqual(70);
      expect(lines.filter((line) => line.length > 130)).toEqual([]);
      expect(lines.filter((line) => /^\d+\. /.test(line)).length).toBeGreaterThanOrEqual(7);
      expect(body).toContain("Task Report");
      expect(description.length).toBeGreaterThan(60);
    }
  });

  it("lets nobody share a method, and no agent who only reads be told to leave files", () => {
    const sentences = new Map<string, string>();
    for (const { name, body, ...profile } of SHIPPED.agents.values()) {
      for (const line of body.split("\n").filter((one) => /^\d+\. /.test(one))) {
        expect(sentences.get(line.slice(3)), `${name}: ${line}`).toBeUndefined();
        sentences.set(line.slice(3), name);
      }
      if (isReadOnly(profile)) expect(body).toMatch(/change no file/);
      else expect(body).not.toMatch(/change no file/);
      if (profile.capability === "read-write") expect(body).toContain("You have no shell here");
    }
  });

  it("keeps its skills short and below the headings of a prompt", () => {
    for (const { name, body, protocols } of SHIPPED.skills.values()) {
      const lines = [body, ...protocols.map((one) => one.body)].join("\n").split("\n");
      const own = body.split("\n").length;
      expect(own, name).toBeGreaterThanOrEqual(28);
      expect(own, name).toBeLessThanOrEqual(70);
      expect(lines.filter((line) => line.length > 130)).toEqual([]);
      expect(lines.filter((line) => /^#{1,2} /.test(line))).toEqual([]);
    }
  });

  it("is all that lies in its folders", () => {
    const root = join(packageRoot(), "prompts");
    expect(readdirSync(join(root, "agents"))).toEqual([...SHIPPED.agents.keys()].map((name) => `${name}.md`));
    expect(readdirSync(join(root, "skills"))).toEqual([...SKILL_NAMES]);
    const stray = readdirSync(join(root, "skills"), { recursive: true })
      .map(String)
      .filter((path) => !/^[a-z-]+(?:\/SKILL\.md|\/protocols(?:\/[a-z-]+-protocol\.md)?)?$/.test(path));
    expect(stray).toEqual([]);
    expect(existsSync(join(root, "skills/delegation/protocols/agent-base-protocol.md"))).toBe(true);
  });
});

describe("the user's own agents and skills", () => {
  it("replace shipped ones by name, come in addition, and the last folder wins", () => {
    const [user, run] = [tempFolder(), tempFolder()];
    put(user, "agents/coder.md", agent("coder", "Mine."));
    put(user, "agents/welder.md", agent("welder", "Weld."));
    put(user, "agents/README.md", "About my agents.");
    put(user, "agents/notes.txt", "x");
    put(run, "agents/welder.md", agent("welder", "Weld better."));
    const { agents } = loadRoster({ folders: [user, run, join(user, "none")], disabled: [] });
    expect(agents.size).toBe(23);
    expect([...agents.keys()]).toEqual([...agents.keys()].sort());
    expect([agents.get("coder")?.body, agents.get("welder")?.body]).toEqual(["Mine.", "Weld better."]);
    expect(agents.get("tester")).toEqual(SHIPPED.agents.get("tester"));
  });

  it("replace a skill, or one of its protocols, or add one", () => {
    const folder = tempFolder();
    put(folder, "skills/execution/SKILL.md", "---\nname: execution\ndescription: Mine.\n---\nDo it.\n");
    put(folder, "skills/validation/protocols/pipeline-discovery-protocol.md", "Run make.\n");
    put(folder, "skills/validation/protocols/house-protocol.md", "Be kind.\n");
    const { skills } = loadRoster({ folders: [folder], disabled: [] });
    expect(skills.get("execution")?.body).toBe("Do it.");
    expect(skills.get("validation")?.body).toBe(SHIPPED.skills.get("validation")?.body);
    expect(skills.get("validation")?.protocols).toEqual([
      { name: "house-protocol", body: "Be kind." },
      { name: "pipeline-discovery-protocol", body: "Run make." },
    ]);
  });

  it("stop the start when they can't be used", () => {
    const tries: readonly ((folder: string) => void)[] = [
      (folder) => put(folder, "agents/coder.md", "Do it."),
      (folder) => put(folder, "agents/coder.md", " \n"),
      (folder) => put(folder, "agents/coder.md", agent("tester", "Test.")),
      (folder) => put(folder, "agents/my_agent.md", agent("my_agent", "Do it.")),
      (folder) => put(folder, "agents/coder.md", agent("coder", "Do it.").replaceAll(": ", ": !x ")),
      (folder) => put(folder, "agents/coder.md", "x".repeat(12_001)),
      (folder) => mkdirSync(join(folder, "agents/coder.md"), { recursive: true }),
      (folder) => execFileSync("mkfifo", [join(dirname(put(folder, "agents/x", "")), "coder.md")]),
      (folder) => put(folder, "skills/execution/SKILL.md", "---\nname: validation\n---\nDo it.\n"),
      (folder) => put(folder, "skills/execution/protocols/a.md", "\n"),
    ];
    const problems = tries.map((make) => {
      const folder = tempFolder();
      make(folder);
      return problemOf(folder);
    });
    expect(problems).toMatchInlineSnapshot(`
      [
        "The agent <folder>/agents/coder.md can't be used. Line 1: The file has to open with a line \`---\`. Write fields such as \`name: coder\` below it. Fix the file, or remove it.",
        "The prompt <folder>/agents/coder.md can't be used: it is empty. Write what Loom should say to agents, or remove the file.",
        "The agent <folder>/agents/coder.md can't be used. Line 2: The agent is called \`tester\`, but its file coder.md. Give both the same name. Fix the file, or remove it.",
        "The agent <folder>/agents/my_agent.md can't be used. Line 2: \`name\` must be a name of small letters, digits and dashes. Write, for example, \`name: coder\`. Fix the file, or remove it.",
        "The agent <folder>/agents/coder.md can't be used. Line 2: The YAML can't be used here: unresolved tag: !x. Remove the tag. Line 3: The YAML can't be used here: unresolved tag: !x. Remove the tag. Line 4: The YAML can't be used here: unresolved tag: !x. Remove the tag. Line 5: The YAML can't be used here: unresolved tag: !x. Remove the tag. Line 6: The YAML can't be used here: unresolved tag: !x. Remove the tag. There is more (2). Fix the file, or remove it.",
        "The prompt <folder>/agents/coder.md can't be used: it has 12001 bytes, more than 12000. Shorten it.",
        "The prompt <folder>/agents/coder.md can't be used: it is not a file. Put a text file in its place, or remove it.",
        "The prompt <folder>/agents/coder.md can't be used: it is not a file. Put a text file in its place, or remove it.",
        "The skill <folder>/skills/execution/SKILL.md can't be used. Line 2: \`description\` is missing. Write, for example, \`description: How to find and run what proves a change.\`. Fix the file, or remove it.",
        "The prompt <folder>/skills/execution/protocols/a.md can't be used: it is empty. Write what Loom should say to agents, or remove the file.",
      ]
    `);
  });

  it("are all told at once when several can't be used", () => {
    const folder = tempFolder();
    put(folder, "agents/coder.md", "broken");
    put(folder, "agents/tester.md", "");
    put(folder, "skills/execution/SKILL.md", "broken");
    expect(problemOf(folder)).toMatchInlineSnapshot(`
      "The agent <folder>/agents/coder.md can't be used. Line 1: The file has to open with a line \`---\`. Write fields such as \`name: coder\` below it. Fix the file, or remove it.
      The prompt <folder>/agents/tester.md can't be used: it is empty. Write what Loom should say to agents, or remove the file.
      The skill <folder>/skills/execution/SKILL.md can't be used. Line 1: The file has to open with a line \`---\`. Write fields such as \`name: validation\` below it. Fix the file, or remove it."
    `);
  });

  it("stop the start when their folder can't be read", () => {
    const folder = tempFolder();
    symlinkSync("agents", join(folder, "agents"));
    expect(problemOf(folder)).toContain("The folder <folder>/agents can't be read");
  });
});

describe("the roster of an installation", () => {
  it("has the user's files and lacks what the operator took out", () => {
    const folder = tempFolder();
    put(folder, "agents/welder.md", agent("welder", "Weld."));
    const { roster, warnings } = openRoster({
      LOOM_CONFIG: folder,
      LOOM_DISABLED_AGENTS: "welder,seo_specialist,codr",
    });
    expect([...roster.disabled.keys()]).toEqual(["seo-specialist", "welder"]);
    expect(roster.agents.size).toBe(21);
    expect(warnings).toEqual([
      "LOOM_DISABLED_AGENTS names `codr`, but there is no such agent; did you mean `coder`?",
    ]);
  });

  it("lets somebody look who has a broken file", () => {
    const folder = tempFolder();
    put(folder, "agents/coder.md", "broken");
    expect(() => openRoster({ LOOM_CONFIG: folder })).toThrow(UserError);
    expect(openRoster({ LOOM_CONFIG: folder }, { ownFiles: false }).roster).toEqual(SHIPPED);
  });

  it("is shipped with the package", () => {
    const { files } = JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8"));
    expect(files).toContain("prompts");
  });
});
