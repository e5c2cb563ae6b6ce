import type { Run } from "../../run/run.ts";
import { counted } from "../../text/durations.ts";
import { markdownText } from "../../text/escape-text.ts";

/** What the run was about, for somebody who finds its folder years later. */
export function renderAbout(run: Run): string {
  const name = run.plan.name ?? run.name ?? run.id;
  return `# ${markdownText(name)}

${counted(run.stages.size, "stage")} of ${markdownText(run.planPath)}, merged into ${markdownText(run.target)} by Loom.

- \`PLAN.md\`: the plan as it was run
- \`NN-<stage>.md\`: what each stage was asked to do
- \`PROGRESS.md\`: what became of it
- \`session-state.md\`: the same with its fields, for programs
- \`reports/\`: the evidence for each stage
- \`history.jsonl\`: every event, in order, with UTC times
- \`gate\`: the checks that every stage had to pass; \`sh gate\` runs them again
`;
}
