import { expect } from "vitest";
import { readRepositoryConfig } from "../../src/core/config/repository/read-repository-config.ts";
import { readAudit } from "../../src/core/findings/read-audit.ts";
import { composePlainYaml } from "../../src/core/plan/compose-plain-yaml.ts";
import { composeAnyYaml } from "../../src/core/plan/compose-yaml.ts";
import { parsePlan } from "../../src/core/plan/read/parse-plan.ts";
import { compileUnits } from "../../src/core/plan/read/parse-units.ts";
import { renderPlan } from "../../src/core/plan/render-plan.ts";
import { readValues } from "../../src/core/plan/yaml-values.ts";
import { readQuestions } from "../../src/core/planning/answers/read-questions.ts";
import { parsePolicy } from "../../src/core/policy/parse-policy.ts";
import { parseAgent } from "../../src/core/roster/parse-agent.ts";
import { parseSkill } from "../../src/core/roster/parse-skill.ts";
import { parseCompletion } from "../../src/core/session/completion.ts";
import { parseHandOff } from "../../src/core/session/hand-off.ts";
import { readLooseYaml } from "../../src/core/session/read-loose-yaml.ts";
import { parseTaskReport } from "../../src/core/session/task-report.ts";
import { fromTokens } from "./from-tokens.ts";
import type { Target } from "./target.ts";
import { PLAN, YAML } from "./yaml-tokens.ts";

const inPlan = (text: string): string =>
  `# A plan\n\n\`\`\`yaml\nloom:\n  version: 1\n  stages:\n    - id: first\n      acceptance: [x]\n      ${text}\n\`\`\`\n`;
const inFields = (text: string): string => `---\nname: validation\ndescription: b\n${text}\n---\n\nText.\n`;
const PIECES = [
  "a: 1\n",
  "- ",
  "[",
  "{",
  "a: ",
  "&x *x ",
  "|\n",
  '"',
  "'",
  "? ",
  "\n",
  "a: [b, c]\n",
  "- - ",
  "# c\n",
  "<<: *x\n",
  "\t",
];

const readPlanText = (text: string): unknown =>
  (["loom", "elsewhere"] as const).map((origin) => {
    const { plan, problems, readable } = parsePlan(text, { origin });
    // A plan that Loom writes down is a plan, and the same one.
    if (plan) {
      const again = parsePlan(renderPlan(plan), { origin: "elsewhere" });
      expect(again.problems.filter(({ severity }) => severity === "error")).toEqual([]);
    }
    return [plan, problems, readable];
  });

/** All that is YAML, or has some between fences or dashes. */
export const YAML_TARGETS: readonly Target[] = [
  { name: "plan", read: (text) => readPlanText(inPlan(text)), texts: fromTokens(PLAN), pieces: PIECES },
  {
    name: "plan-document",
    read: readPlanText,
    texts: fromTokens([
      ...PLAN,
      "```yaml\n",
      "```\n",
      "~~~\n",
      "loom:\n",
      "# Title\n",
      "<!-- loom -->\n",
      "<!-- /loom -->\n",
      "````\n",
    ]),
    pieces: ["```yaml\n", "~~~\n", "# a\n", "loom:\n", "<!--", "    ```\n"],
  },
  {
    name: "plan-units",
    read: (text) => {
      const files = [
        { name: "01-a.md", text },
        { name: "02-b.md", text: `---\n${text}\n---\n\n# B\n\n${text}\n` },
      ];
      const { plan, problems } = compileUnits(files, { origin: "elsewhere" });
      return [plan, problems];
    },
    texts: fromTokens([...PLAN, "---\n", "# Title\n", "- [ ] a\n", "## Acceptance\n"]),
    pieces: [...PIECES, "---\n", "# a\n", "- [ ] a\n"],
  },
  {
    name: "yaml-fast-path",
    read: (text) => {
      const document = text.endsWith("\n") ? text : `${text}\n`;
      const plain = composePlainYaml(document);
      if (plain === null) return null;
      const { contents, faults } = composeAnyYaml(document);
      expect(faults).toEqual([]);
      const value = readValues(plain).value;
      expect(value).toEqual(readValues(contents).value);
      return value;
    },
    texts: fromTokens([
      "a: ",
      "b: ",
      "c:",
      "\n",
      "\n  ",
      "\n    ",
      "\n- ",
      "\n  - ",
      "- ",
      "x",
      "y z",
      "[a, b]",
      "[]",
      "{}",
      "|\n",
      "|-\n",
      "'q'",
      '"q"',
      "1",
      "01",
      "1.5",
      "true",
      "~",
      "# c",
      " ",
      "__proto__: ",
      "constructor: ",
      "null: ",
      "é",
      "..",
      "--- ",
      "=",
      "<<: ",
    ]),
    pieces: PIECES,
  },
  { name: "loose-yaml", read: readLooseYaml, texts: fromTokens(YAML), pieces: PIECES },
  {
    name: "policy",
    read: (text) =>
      parsePolicy(`version: 1\nrules:\n  - id: a\n    decision: deny\n    reason: No.\n    ${text}\n`),
    texts: fromTokens([
      ...YAML,
      "commands: ",
      "arguments: ",
      "redirection: true",
      "here_document: true",
      "\n  - id: b\n    ",
      "decision: ",
      "ask",
      "otherwise: allow\n",
      "[git push*]",
      "reason: ",
    ]),
    pieces: PIECES,
  },
  {
    name: "config",
    read: (text) => readRepositoryConfig(`version: 1\n${text}\n`, ["coder"]),
    texts: fromTokens([
      ...YAML,
      "merge: ",
      "mode: ",
      "auto",
      "approval: ",
      "labels: ",
      "limits: ",
      "models: ",
      "work/low: ",
      "{ model: x }",
      "runs_on: ",
      "protected_paths: ",
      "gate: ",
      "planner: ",
      "sandbox: ",
      "disabled_agents: [coder]",
    ]),
    pieces: PIECES,
  },
  {
    name: "agent-file",
    read: (text) => parseAgent(inFields(text), "validation.md"),
    texts: fromTokens([
      ...YAML,
      "tools: ",
      "[read, write]",
      "skills: ",
      "capability: ",
      "read-only",
      "temperature: ",
      "---\n",
    ]),
    pieces: PIECES,
  },
  {
    name: "skill-file",
    read: (text) =>
      parseSkill({ text: inFields(text), protocols: [{ fileName: "a.md", text }] }, "validation"),
    texts: fromTokens([...YAML, "---\n", "name: "]),
    pieces: PIECES,
  },
  {
    name: "findings",
    read: (text) => [
      readAudit(text),
      readAudit(`\`\`\`yaml\nloom_findings:\n  findings:\n    - ${text}\n\`\`\`\n`),
    ],
    texts: fromTokens([
      ...YAML,
      "loom_findings:\n",
      "findings:\n",
      "  - id: F1\n",
      "title: ",
      "severity: ",
      "high",
      "file: ",
      "src/a.ts:12-14",
      "line: ",
      "body: |\n",
      "suggestion: ",
      "earlier:\n",
      "state: fixed",
      "```yaml\n",
      "```\n",
      "summary: ",
    ]),
    pieces: [...PIECES, "```\n", "- id: F1\n", "title: x\n"],
  },
  {
    name: "questions",
    read: (text) => [
      readQuestions(text, 5),
      readQuestions(`loom_questions:\n  complexity: simple\n  questions:\n    - ${text}\n`, 5),
    ],
    texts: fromTokens([
      ...YAML,
      "question: ",
      "options: ",
      "[a, b]",
      "default: ",
      "why: ",
      "complexity: ",
      "loom_questions:\n",
    ]),
    pieces: PIECES,
  },
  {
    name: "session-texts",
    read: (text) => [parseHandOff(text), parseCompletion(text), parseTaskReport(text)],
    texts: fromTokens([
      ...YAML,
      "---\n",
      "completed: ",
      "remaining: ",
      "```loom-completion\n",
      "```\n",
      "status: complete\n",
      "summary: x\n",
      "## Summary\n",
      "## Task Report\n",
      "- [ ] a\n",
      "## Downstream Context\n",
    ]),
    pieces: [...PIECES, "```\n", "## a\n", "- [ ] a\n"],
  },
];
