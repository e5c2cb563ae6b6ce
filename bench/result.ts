/** One figure against its target; lower is better. */
export type Result = {
  readonly name: string;
  readonly value: number;
  readonly target: number;
  readonly unit: string;
  readonly detail: Readonly<Record<string, unknown>>;
};

/** What could not be measured here, and why. */
export type LeftOut = { readonly name: string; readonly leftOut: string };

export type Measurement = Result | LeftOut;
