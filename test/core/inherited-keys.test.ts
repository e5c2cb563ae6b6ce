import { describe, expect, it } from "vitest";
import { readManifest } from "../../src/core/codebase/read-manifest.ts";
import { parseCommands } from "../../src/core/command/parse-commands.ts";
import { parseRoutes } from "../../src/core/config/parse-routes.ts";
import { readRepositoryConfig } from "../../src/core/config/repository/read-repository-config.ts";
import { routeFor } from "../../src/core/config/routing.ts";
import { resolveSettings } from "../../src/core/config/settings/resolve-settings.ts";
import { readAudit } from "../../src/core/findings/read-audit.ts";
import { toId } from "../../src/core/ids.ts";
import type { Problem } from "../../src/core/plan/problem.ts";
import { parsePlan } from "../../src/core/plan/read/parse-plan.ts";
import { fillTemplate } from "../../src/core/planning/fill-template.ts";
import { parsePolicy } from "../../src/core/policy/parse-policy.ts";
import { finishedJson } from "../../src/core/report/commands/finished-json.ts";
import { renderPanel } from "../../src/core/report/github/run/panel.ts";
import { panelView } from "../../src/core/report/github/run/run-views.ts";
import { renderRunPage } from "../../src/core/report/page/render-run-page.ts";
import { renderStatus, statusJson } from "../../src/core/report/terminal/run-status.ts";
import { parseAgent } from "../../src/core/roster/parse-agent.ts";
import { parseSkill } from "../../src/core/roster/parse-skill.ts";
import { decide } from "../../src/core/run/decide.ts";
import { parseHandOff } from "../../src/core/session/hand-off.ts";
import { readLooseYaml } from "../../src/core/session/read-loose-yaml.ts";
import { askForCompletion } from "../../src/core/session/session-requests.ts";
import { ownValue, table } from "../../src/core/table.ts";
import { npmGate } from "../../src/core/verify/synthesize-npm-gate.ts";
import { aRun } from "../support/a-run.ts";
import { INHERITED_KEYS, strayValues } from "../support/inherited-keys.ts";
import { read, withStages } from "../support/read-plans.ts";

const each = describe.each(INHERITED_KEYS);

/** What is told about the line that has `key`. */
function aboutKey(problems: readonly Problem[], key: string): string[] {
  expect(problems.every(({ message, fix }) => !`${message}${fix}`.includes("[native code]"))).toBe(true);
  return problems
    .filter(({ path, message }) => `${path} ${message}`.includes(key) || message.includes("plain word"))
    .map(({ message }) => message);
}

describe("a table", () => {
  it.each(INHERITED_KEYS)("has %s only when somebody wrote it there", (key) => {
    expect(table<number>()[key]).toBeUndefined();
    expect(table({ [key]: 1 })[key]).toBe(1);
    expect(Object.keys(table({ [key]: 1 }))).toEqual([key]);
    expect(ownValue({}, key)).toBeUndefined();
    expect(ownValue(JSON.parse(`{ "${key}": 1 }`), key)).toBe(1);
  });
});

each("%s in a plan", (key) => {
  const inBlocks = (fields: string): string => withStages(`- id: one\n  acceptance: [x]\n${fields}`);
  const inBraces = (fields: string): string => withStages(`- { id: one, acceptance: [x], ${fields} }`);

  it.each([
    ["a field of a stage", inBlocks(`  ${key}: 1`), inBraces(`${key}: 1`)],
    [
      "a field of a stage that holds a mapping",
      inBlocks(`  ${key}:\n    a: 1`),
      inBraces(`${key}: { a: 1 }`),
    ],
    [
      "a field of a stage that holds a list",
      inBlocks(`  ${key}:\n    - a: 1`),
      inBraces(`${key}: [{ a: 1 }]`),
    ],
    [
      "a field of a check",
      inBlocks(`  truths:\n    - command: x\n      ${key}: 1`),
      inBraces(`truths: [{ command: x, ${key}: 1 }]`),
    ],
    ["a field of a sandbox", inBlocks(`  sandbox:\n    ${key}: 1`), inBraces(`sandbox: { ${key}: 1 }`)],
    [
      "a field of a sandbox's network",
      inBlocks(`  sandbox:\n    network:\n      ${key}: 1`),
      inBraces(`sandbox: { network: { ${key}: 1 } }`),
    ],
    [
      "a field of the plan",
      withStages("- id: one\n  acceptance: [x]", `  ${key}: 1\n`),
      withStages("- { id: one, acceptance: [x] }", `  ${key}: 1\n`),
    ],
    [
      "a field of its budget",
      withStages("- id: one\n  acceptance: [x]", `  budget:\n    ${key}: 1\n`),
      withStages("- id: one\n  acceptance: [x]", `  budget: { ${key}: 1 }\n`),
    ],
  ])("is told of as %s, whoever reads the YAML", (_, plain, braces) => {
    for (const origin of ["loom", "elsewhere"] as const) {
      const [one, other] = [read(plain, { origin }), read(braces, { origin })];
      expect(aboutKey(one.problems, key)).toHaveLength(1);
      expect(aboutKey(other.problems, key)).toEqual(aboutKey(one.problems, key));
      expect(strayValues(one.plan)).toEqual([]);
    }
  });

  it.each(["stage_type", "effort"])("is no value of a stage's %s", (field) => {
    const { plan, problems } = read(inBlocks(`  ${field}: ${key}`));
    expect(plan).toBeNull();
    expect(aboutKey(problems, key)).toHaveLength(1);
  });

  it.each(["complexity", "merge"])("is no value of the plan's %s", (field) => {
    expect(read(withStages("- id: one\n  acceptance: [x]", `  ${field}: ${key}\n`)).plan).toBeNull();
  });

  it.each(["agent", "harness", "model", "runs_on", "dependencies", "files", "name"])(
    "as a value of %s makes no stage of something else",
    (field) => {
      expect(strayValues(parsePlan(inBlocks(`  ${field}: ${key}`), { origin: "loom" }).readable)).toEqual([]);
    },
  );
});

describe.each(INHERITED_KEYS.filter((key) => toId(key) !== null).map((key) => [key, toId(key) ?? ""]))(
  "a stage called %s",
  (written, id) => {
    it("has the type and the dependencies that were written down", () => {
      const { plan } = read(
        withStages(
          `- id: ${written}\n  acceptance: [x]\n- id: last\n  acceptance: [x]\n  dependencies: [${written}]`,
        ),
      );
      expect(plan?.stages.map((stage) => [stage.id, stage.type, stage.dependencies])).toEqual([
        [id, "standard", []],
        ["last", "standard", [id]],
      ]);
    });

    it("is worked on, and shown everywhere", () => {
      const story = aRun([{ id }, { id: "last", dependencies: [id] }]);
      expect(decide(story.run, story.now)).toMatchObject([{ kind: "queue", stage: id }]);
      story.starts(id).passes(id).finishes("completed");
      const { run, events, now } = story;
      expect(run.stages.get(id)?.state.kind).toBe("completed");
      expect(statusJson(run, [], now).stages[id]).toMatchObject({ attempts: 1 });
      expect(finishedJson(run, "completed", 1).stages[id]).toMatchObject({ attempts: 1 });
      expect(renderPanel(panelView(run, now))).toContain(id);
      expect(renderStatus(run, [], { now, width: 80, color: false })).toContain(id);
      expect(renderRunPage(run, events, { formatTime: String })).toContain(id);
    });
  },
);

each("%s in a comment", (key) => {
  it.each([`/loom ${key}`, `/loom pause --${key}`, `/loom pause --${key}=1`, `/loom retry one --${key} x`])(
    "is a mistake that is told: %s",
    (body) => {
      const { commands, mistakes } = parseCommands(body);
      expect(commands).toEqual([]);
      expect(mistakes).toHaveLength(1);
      expect(JSON.stringify(mistakes)).not.toContain("native code");
    },
  );
});

each("%s in loom.yml", (key) => {
  it.each([
    `${key}: 1`,
    `merge:\n  ${key}: 1`,
    `labels:\n  ${key}: 1`,
    `limits: { ${key}: 1 }`,
    `models:\n  ${key}: { model: x }`,
    `models:\n  work/${key}: { model: x }`,
    `models:\n  work: { ${key}: x }`,
    `merge:\n  mode: ${key}`,
    `approval:\n  roles: ${key}`,
  ])("is a problem: %s", (text) => {
    const { config, problems } = readRepositoryConfig(`version: 1\n${text}\n`);
    expect(config).toBeNull();
    expect(aboutKey(problems, key).length).toBeGreaterThan(0);
  });
});

each("%s in rules, profiles and skills", (key) => {
  it.each([
    `version: 1\nrules: []\n${key}: 1\n`,
    `version: 1\nrules:\n  - id: a\n    decision: deny\n    reason: No.\n    commands: [x]\n    ${key}: 1\n`,
    `version: 1\nrules:\n  - id: a\n    decision: ${key}\n    reason: No.\n    commands: [x]\n`,
    `version: 1\notherwise: ${key}\nrules: []\n`,
  ])("is a problem of a rule file: %s", (text) => {
    const { policy, problems } = parsePolicy(text);
    expect(policy).toBeNull();
    expect(aboutKey(problems, key).length).toBeGreaterThan(0);
  });

  it("is a problem of an agent's file", () => {
    const file = (more: string, tools = "read"): string =>
      `---\nname: a\ndescription: b\ntools: [${tools}]\ncapability: read-only\n${more}\n---\n\nText.\n`;
    for (const text of [file(`${key}: 1`), file("", key), file(`skills: [${key}]`)]) {
      const { profile, problems } = parseAgent(text, "a.md");
      expect(profile).toBeNull();
      expect(aboutKey(problems, key).length).toBeGreaterThan(0);
    }
  });

  it("is a problem of a skill's file", () => {
    const text = `---\nname: validation\ndescription: b\n${key}: 1\n---\n\nText.\n`;
    const { skill, problems } = parseSkill({ text, protocols: [] }, "validation");
    expect(skill).toBeNull();
    expect(aboutKey(problems, key)).toHaveLength(1);
  });
});

each("%s in settings", (key) => {
  it("is no role, no tier and no harness's family", () => {
    for (const text of [`${key}=claude`, `work/${key}=claude`, `work=${key}`])
      expect(parseRoutes(text).routes).toEqual([]);
    const settings = { harness: key, harnessWins: false, routes: [] };
    const plan = { harness: null, model: "opus", effort: null };
    expect(routeFor({ plan, complexity: null, settings, role: "work" }).model).toBe("opus");
  });

  it("sets nothing", () => {
    const given = JSON.parse(`{ "${key}": "1" }`);
    const { env, settings } = resolveSettings({ exported: {}, workspace: given, user: given });
    expect(strayValues(env)).toEqual([]);
    expect(settings.map(({ name }) => name)).not.toContain(key);
  });
});

each("%s in what agents write", (key) => {
  it("brings nothing into findings, notes and values", () => {
    const value = `{ ${key}: 1, title: { ${key}: 1 } }`;
    expect(strayValues(readLooseYaml(value))).toEqual([]);
    const entry = `{ ${key}: high, severity: ${key}, title: T, file: ${key}, line: ${key} }`;
    const audit = readAudit(`\`\`\`yaml\nloom_findings:\n  ${key}: x\n  findings:\n    - ${entry}\n\`\`\`\n`);
    expect(strayValues(audit)).toEqual([]);
    expect(strayValues(parseHandOff(`---\n${key}: x\ncompleted: [{ ${key}: 1 }]\n---\n\nText.\n`))).toEqual(
      [],
    );
  });

  it("fills no place of a text", () => {
    expect(fillTemplate(`{{${key}}} {{a}}`, { a: "b" })).not.toContain("native code");
    expect(askForCompletion(`{{${key}}} {{problem}}`, "x")).toBe(`{{${key}}} x`);
  });
});

each("%s in a repository", (key) => {
  it("is a name like any other in a manifest", () => {
    const text = `{ "scripts": { "${key}": "x", "test": "vitest" }, "dependencies": { "${key}": "1", "a": "1" } }`;
    const found = readManifest("package.json", text);
    expect(found?.libraries).toEqual([key, "a"]);
    expect(found?.commands.map(({ name }) => name)).toContain("test");
    const gate = npmGate({ has: (path) => path === "package.json", some: () => false, read: () => text });
    expect(gate?.command).toMatch(/&& npm test$/);
  });
});
