import { benchDecide } from "./decide.ts";
import { benchMakespan, benchOrchestration } from "./orchestration.ts";
import type { Result } from "./result.ts";

/** `npm run bench [-- --json]`: ratios against floors measured in the same run, each with its target. */
const json = process.argv.includes("--json");
const say = (text: string): void => void process.stderr.write(`${text}\n`);

const results: Result[] = [
  ...benchDecide(say),
  ...(await benchMakespan(say)),
  ...(await benchOrchestration(say)),
];

if (json) {
  console.log(
    JSON.stringify({ results: results.map((one) => ({ ...one, met: one.value <= one.target })) }, null, 2),
  );
} else {
  for (const { name, value, target, unit } of results) {
    console.log(
      `${value <= target ? "✓" : "✗"} ${name}: ${value.toFixed(2)} ${unit} (target: at most ${target} ${unit})`,
    );
  }
}
