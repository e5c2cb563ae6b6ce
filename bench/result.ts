/** One figure against its target; lower is better. */
export type Result = {
  readonly name: string;
  readonly value: number;
  readonly target: number;
  readonly unit: string;
  readonly detail: Readonly<Record<string, unknown>>;
};
