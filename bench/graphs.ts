export type Shape = {
  readonly levels: readonly (readonly string[])[];
  readonly needs: ReadonlyMap<string, readonly string[]>;
};

/** `wide` stages in each of `deep` levels; each needs itself and its neighbour of the level before. */
export function grid(wide: number, deep: number): Shape {
  const name = (level: number, column: number): string => `l${level}-c${column}`;
  const levels = Array.from({ length: deep }, (_, level) =>
    Array.from({ length: wide }, (_, column) => name(level, column)),
  );
  const needs = new Map<string, string[]>();
  for (const [level, stages] of levels.entries()) {
    for (const [column, stage] of stages.entries()) {
      needs.set(
        stage,
        level === 0
          ? []
          : [name(level - 1, column), name(level - 1, (column + 1) % wide)].filter(
              (one, index, all) => all.indexOf(one) === index,
            ),
      );
    }
  }
  return { levels, needs };
}

export function planOf(
  shape: Shape,
  maxParallel: number,
  acceptance: (stage: string) => readonly string[] = () => [],
): string {
  const stages = shape.levels.flat().map((id) => ({
    id,
    name: `Stage ${id}`,
    description: `Write out/${id}.`,
    dependencies: shape.needs.get(id),
    files: [`out/${id}`],
    acceptance: acceptance(id),
  }));
  return `# Bench\n\n\`\`\`yaml\nloom: ${JSON.stringify({ version: 1, max_parallel: maxParallel, gate: [], stages })}\n\`\`\`\n`;
}
