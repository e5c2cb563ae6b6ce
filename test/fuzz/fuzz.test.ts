import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UserError } from "../../src/core/errors.ts";
import { strayValues } from "../support/inherited-keys.ts";
import { AGENT_TARGETS } from "./agent-targets.ts";
import type { Target } from "./target.ts";
import { TEXT_TARGETS } from "./text-targets.ts";
import { WIRE_TARGETS } from "./wire-targets.ts";
import { YAML_TARGETS } from "./yaml-targets.ts";

const targets: readonly Target[] = [...TEXT_TARGETS, ...WIRE_TARGETS, ...YAML_TARGETS, ...AGENT_TARGETS];

/** Few in the ordinary tests; `npm run fuzz` and the nightly workflow say how many. */
const RUNS = Number(process.env.LOOM_FUZZ_RUNS ?? 40);
const IS_LONG = process.env.LOOM_FUZZ_RUNS !== undefined;
const CORPUS = join(import.meta.dirname, "corpus");

describe.each(targets.map((target) => [target.name, target] as const))("reading %s", (name, target) => {
  it("holds with what was trouble once", () => {
    for (const text of corpusOf(name)) check(target, text);
  });

  it(
    "gives data, whatever was written",
    () => {
      fc.assert(
        fc.property(target.texts, (text) => check(target, text)),
        { numRuns: RUNS, reporter: (details) => keep(name, details) },
      );
    },
    IS_LONG ? 3_600_000 : undefined,
  );

  it("takes twice the time for twice the text", () => {
    for (const piece of target.pieces) expectLinear(target, piece);
  });
});

it("has a target for each folder of the corpus", () => {
  const names = new Set(targets.map(({ name }) => name));
  expect(readdirSync(CORPUS).filter((folder) => !names.has(folder))).toEqual([]);
});

function check(target: Target, text: string): void {
  const result = outcome(target, text);
  expect(strayValues(result)).toEqual([]);
  if (target.isSettled && typeof result === "string") expect(outcome(target, result)).toBe(result);
}

function outcome(target: Target, text: string): unknown {
  try {
    return target.read(text);
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

function corpusOf(name: string): string[] {
  const folder = join(CORPUS, name);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
}

/** What a long run finds becomes a file, to be committed with the fix. */
function keep(name: string, details: fc.RunDetails<[string]>): void {
  if (details.failed && IS_LONG && details.counterexample) {
    const [text] = details.counterexample;
    const file = `${createHash("sha256").update(text).digest("hex").slice(0, 12)}.txt`;
    mkdirSync(join(CORPUS, name), { recursive: true });
    writeFileSync(join(CORPUS, name, file), text);
  }
  if (details.failed) throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance });
}

const SHORT = 8_000;
/** Only what looks slow is tried so often; the best of few says too little on a busy machine. */
const TRIES = 20;
/** Below this the clock says nothing. */
const FLOOR_MS = 40;

/** By the best of its tries: a busy machine stretches one and not the next. What is quadratic takes four times as long. */
function expectLinear(target: Target, piece: string): void {
  const text = (chars: number): string => piece.repeat(Math.ceil(chars / piece.length));
  const [short, long] = [text(SHORT), text(2 * SHORT)];
  let [one, two] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tries = 0; tries < TRIES; tries += 1) {
    two = Math.min(
      two,
      millisOf(() => outcome(target, long)),
    );
    if (two < FLOOR_MS) return;
    one = Math.min(
      one,
      millisOf(() => outcome(target, short)),
    );
    if (two < 3 * one) return;
  }
  expect(
    two / one,
    `${JSON.stringify(piece)} takes ${Math.round(two)} ms for ${2 * SHORT} characters`,
  ).toBeLessThan(3);
}

function millisOf(act: () => void): number {
  const cpu = process.cpuUsage();
  const clock = performance.now();
  act();
  const { user, system } = process.cpuUsage(cpu);
  return Math.min(performance.now() - clock, (user + system) / 1000);
}
