/** A plan document with these stages, each given as the fields that matter to the test. */
export type StageFields = { readonly id: string; readonly [field: string]: unknown };

export function planText(
  stages: readonly StageFields[],
  fields: Readonly<Record<string, unknown>> = {},
): string {
  const loom = {
    version: 1,
    ...fields,
    stages: stages.map((stage) => ({ name: stage.id, description: `Do ${stage.id}.`, ...stage })),
  };
  // JSON is YAML, so a test needs no second way of writing plans down.
  return `# A plan\n\n\`\`\`yaml\nloom: ${JSON.stringify(loom)}\n\`\`\`\n`;
}
