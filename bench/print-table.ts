import type { Measurement, Result } from "./result.ts";

/** One line for each figure: verdict, value, target, what it is about. */
export function printTable(measurements: readonly Measurement[], asJson: boolean): void {
  if (asJson) {
    const results = measurements.map((one) => ("leftOut" in one ? one : { ...one, met: isMet(one) }));
    console.log(JSON.stringify({ results }, null, 2));
    return;
  }
  console.log(["", "value".padStart(12), "target".padStart(12), "what"].join("  "));
  for (const one of measurements) {
    if ("leftOut" in one)
      console.log(`-  ${"".padStart(11)}  ${"".padStart(12)}  ${one.name}: left out, ${one.leftOut}`);
    else console.log(line(one));
  }
}

function line(result: Result): string {
  const { name, value, target, unit } = result;
  const sign = isMet(result) ? "✓" : "✗";
  return `${sign}  ${amount(value, unit).padStart(11)}  ${`≤ ${amount(target, unit)}`.padStart(12)}  ${name}`;
}

function amount(value: number, unit: string): string {
  return unit === "×" ? `${value.toFixed(2)} ×` : `${value.toFixed(value < 100 ? 1 : 0)} ${unit}`.trimEnd();
}

function isMet({ value, target }: Result): boolean {
  return value <= target;
}
