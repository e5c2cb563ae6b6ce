import { parse, stringify } from "yaml";
import { CHANGED_FILE } from "./propose-change.ts";

type Stage = { readonly id: string; readonly files?: readonly string[] };
type PlanBlock = { readonly loom: { readonly stages: readonly Stage[] } };

/**
 * What scripted agents say that plan, answer and review, beside what those of `script.yaml` do. The planner takes the way
 * that planners take: a question first; then a draft in which two stages that run side by side own the same file, which
 * Loom sends back; then the plan of `PLAN.md`. The reviewer knows the change of `propose-change.ts` and no other.
 */
export function withTasks(script: string, planDocument: string): string {
  const block = /^```yaml\n([\s\S]*?)^```$/m.exec(planDocument)?.[1];
  if (block === undefined) throw new Error("the demo's plan has no block");
  const plan = parse(block) as PlanBlock;
  const stages = plan.loom.stages.map((stage) =>
    stage.id === "count" || stage.id === "longest"
      ? { ...stage, files: [...(stage.files ?? []), "src/index.js"] }
      : stage,
  );
  const tasks = {
    begin: [...reading("reading the issue and the code"), { answer: QUESTION }],
    draft: [...reading("writing a plan"), { answer: answer({ loom: { ...plan.loom, stages } }) }],
    redraft: [...reading("fixing the plan"), { answer: answer(plan) }],
    answer: [...reading("looking for an answer"), { answer: ANSWER }],
    audit: [...reading("reading the change"), { answer: FINDINGS }],
  };
  return `${script}\n${stringify({ tasks }, { lineWidth: 0 })}`;
}

function reading(what: string): object[] {
  return [{ say: what }, { wait_ms: 400 }, { usage: { input_tokens: 9_200, output_tokens: 700 } }];
}

const QUESTION = `The package has no tests yet and one entry point, so this is work for a few small stages. One thing is open.

\`\`\`yaml
loom_questions:
  complexity: medium
  why: Several small parts build on each other, and what counts as a word decides what all of them return.
  questions:
    - question: Should capital letters make a different word?
      why: '"The" at the start of a sentence and "the" inside it would be two words.'
      options:
        - no, all words in lower case
        - yes, as they are written
      default: a
\`\`\`
`;

const ANSWER = `The agent of this playground follows a script, so it gives this answer to every question:

- \`src/index.js\` is the package's only entry point, and so far it exports nothing.
- \`test/index.test.js\` only checks that the package loads.

A real agent would have read the code for you. Ask something else: it will know what was said here.
`;

const FINDINGS = `\`\`\`yaml
loom_findings:
  summary: |
    A small helper with one mistake in it, and no test that would have caught it. The reviewer of this playground
    follows a script: it says the same about every change.
  findings:
    - severity: high
      title: Returns one word too few
      file: ${CHANGED_FILE}
      line: 3
      body: |
        \`slice\` already excludes its end, so \`n - 1\` drops one word too many: \`first(["a", "b"], 1)\` is empty.
      suggestion: |2
          return words.slice(0, n);
    - severity: low
      title: No test uses it
      body: |
        A test that asks for a single word would have failed.
\`\`\`
`;

function answer(plan: PlanBlock): string {
  return `## Why these stages

\`tokenize\` comes first, because everything else uses its words. \`count\` and \`longest\` don't need each other and can run
in parallel. The report joins them; the command and its documentation follow, and at the end everything is
tried together.

## Out of scope

Reading files: a shell can do that.

## Risks

\`count\` and \`longest\` both add a line to \`src/index.js\`; the second one to merge conflicts with the first.

\`\`\`yaml
${stringify(plan, { lineWidth: 0 })}\`\`\`
`;
}
