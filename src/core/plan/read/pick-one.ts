import type { Reporter } from "../report-problems.ts";
import type { Path } from "./read-yaml.ts";

/** The value of a field that goes by several names; giving two of them is an error, even when they agree. */
export function pickOne<T extends object>(
  written: T,
  at: Path,
  reporter: Reporter,
): <K extends keyof T & string>(...names: [K, ...K[]]) => T[K] | undefined {
  return (...names) => {
    const [first, second] = names.filter((name) => written[name] !== undefined);
    if (second !== undefined) {
      reporter.error([...at, second], `\`${first}\` and \`${second}\` mean the same.`, "Keep one of them.");
    }
    return first === undefined ? undefined : written[first];
  };
}
