import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../src/wiring/folders/package-root.ts";
import type { Measurement, Result } from "./result.ts";

/**
 * What a figure should be (`goal`), and what it may be (`allowed`): the level that was reached, with room for noise. What is
 * worse than that is a regression. A goal is met by work, and `allowed` follows it down.
 */
export type Target = {
  readonly goal: number;
  readonly allowed: number;
  /** Lower is better, unless this says otherwise. */
  readonly more?: "better";
  /** A count, or a ratio with so wide a margin that other work on the machine does not matter. */
  readonly onBusyMachine?: true;
};

export type Targets = Readonly<Record<string, Target>>;

export type Judgement = "met" | "allowed" | "worse";

export function readTargets(): Targets {
  return JSON.parse(readFileSync(join(packageRoot(), "bench", "targets.json"), "utf8")) as Targets;
}

export function targetOf(targets: Targets, { id }: Measurement): Target {
  const target = Object.hasOwn(targets, id) ? targets[id] : undefined;
  if (!target) throw new Error(`bench/targets.json does not say what ${id} should be`);
  return target;
}

export function judge({ value }: Result, { goal, allowed, more }: Target): Judgement {
  const keeps = (limit: number): boolean => (more === "better" ? value >= limit : value <= limit);
  if (keeps(goal)) return "met";
  return keeps(allowed) ? "allowed" : "worse";
}

/** The benchmarks that have a figure for a busy machine; the first part of an id is its benchmark's name. */
export function benchesForBusyMachines(targets: Targets): ReadonlySet<string> {
  return new Set(
    Object.entries(targets)
      .filter(([, target]) => target.onBusyMachine)
      .map(([id]) => id.split(".")[0] ?? id),
  );
}
