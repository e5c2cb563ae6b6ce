/** One figure; lower is better. What it should be stands in `targets.json`, under its id. */
export type Result = {
  readonly id: string;
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly detail: Readonly<Record<string, unknown>>;
};

/** What could not be measured here, and why. */
export type LeftOut = { readonly id: string; readonly name: string; readonly leftOut: string };

export type Measurement = Result | LeftOut;
