import { type Judgement, judge, type Target, type Targets, targetOf } from "./judge.ts";
import type { Measurement, Result } from "./result.ts";

const SIGNS: Readonly<Record<Judgement, string>> = { met: "✓", allowed: "·", worse: "✗" };

/** One line for each figure: verdict, value, goal, what may not be passed, what it is about. */
export function printTable(measurements: readonly Measurement[], targets: Targets, asJson: boolean): void {
  if (asJson) {
    const results = measurements.map((one) => {
      const target = targetOf(targets, one);
      return "leftOut" in one ? one : { ...one, ...target, judgement: judge(one, target) };
    });
    console.log(JSON.stringify({ results }, null, 2));
    return;
  }
  console.log(row(" ", "value", "goal", "allowed", "what"));
  for (const one of measurements) console.log(line(one, targetOf(targets, one)));
  console.log("✓ meets its goal   · no worse than allowed   ✗ worse than allowed   - left out");
}

/** What got worse, one line each. */
export function describeWorse(measurements: readonly Measurement[], targets: Targets): string[] {
  return measurements.flatMap((one) => {
    const target = targetOf(targets, one);
    if ("leftOut" in one || judge(one, target) !== "worse") return [];
    const limit = `${target.more === "better" ? "at least" : "at most"} ${amount(target.allowed, one.unit)}`;
    return [`${one.name}: ${amount(one.value, one.unit)}, where ${limit} is allowed (${one.id})`];
  });
}

function line(one: Measurement, target: Target): string {
  if ("leftOut" in one) return row("-", "", "", "", `${one.name}: left out, ${one.leftOut}`);
  const sign = target.more === "better" ? "≥" : "≤";
  return row(
    SIGNS[judge(one, target)],
    amount(one.value, one.unit),
    `${sign} ${amount(target.goal, one.unit)}`,
    `${sign} ${amount(target.allowed, one.unit)}`,
    one.name,
  );
}

function row(sign: string, value: string, goal: string, allowed: string, what: string): string {
  return `${sign}  ${value.padStart(10)}  ${goal.padStart(10)}  ${allowed.padStart(10)}  ${what}`;
}

function amount(value: number, unit: Result["unit"]): string {
  return unit === "×" ? `${value.toFixed(2)} ×` : `${value.toFixed(value < 100 ? 1 : 0)} ${unit}`.trimEnd();
}
