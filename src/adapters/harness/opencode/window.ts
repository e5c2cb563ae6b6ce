import type { Environment } from "../agent-environment.ts";

/** Of models that are not known here. */
const USUAL = 128_000;

/** opencode does not say how long a model's window is. The first that matches counts. */
const WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/\bgemini-/i, 1_048_576],
  [/\bclaude-/i, 200_000],
  [/\bgpt-4\.1/i, 1_047_576],
  [/\bgpt-5/i, 400_000],
  [/\bo[34]\b/i, 200_000],
  [/\bgrok-4/i, 256_000],
];

/** How many tokens a conversation with the model may take; LOOM_OPENCODE_WINDOW says it for all of them. */
export function windowOf(env: Environment, model: string | null): number {
  return operatorsWindow(env) ?? WINDOWS.find(([name]) => name.test(model ?? ""))?.[1] ?? USUAL;
}

export function operatorsWindow(env: Environment): number | null {
  const window = Number(env.LOOM_OPENCODE_WINDOW?.trim() || Number.NaN);
  return Number.isInteger(window) && window > 0 ? window : null;
}
