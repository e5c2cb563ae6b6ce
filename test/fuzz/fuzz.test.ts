import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UserError } from "../../src/core/errors.ts";
import { strayValues } from "../support/inherited-keys.ts";
import { AGENT_TARGETS } from "./agent-targets.ts";
import { ANSWER_TARGETS } from "./answer-targets.ts";
import { CHANGE_TARGETS } from "./change-targets.ts";
import type { Target } from "./target.ts";
import { TEXT_TARGETS } from "./text-targets.ts";
import { WIRE_TARGETS } from "./wire-targets.ts";
import { YAML_TARGETS } from "./yaml-targets.ts";

const targets: readonly Target[] = [
  ...TEXT_TARGETS,
  ...WIRE_TARGETS,
  ...YAML_TARGETS,
  ...AGENT_TARGETS,
  ...CHANGE_TARGETS,
  ...ANSWER_TARGETS,
];

/** Few in the ordinary tests; `npm run fuzz` and the nightly workflow say how many. */
const RUNS = Number(process.env.LOOM_FUZZ_RUNS ?? 40);
const IS_LONG = process.env.LOOM_FUZZ_RUNS !== undefined;
/** A change is judged by the same texts each time; what nobody has thought of is looked for in long runs. */
const SEED = IS_LONG ? {} : { seed: 1 };
const CORPUS = join(import.meta.dirname, "corpus");

describe.each(targets.map((target) => [target.name, target] as const))("reading %s", (name, target) => {
  it("holds with what was trouble once", () => {
    for (const { piece, count } of corpusOf(name)) {
      // First, since it stops as soon as the time grows too fast.
      if (count > 1) expectLinear(target, piece, piece.length * count, CLEAR_MS);
      check(target, piece.repeat(count));
    }
  });

  it(
    "gives data, whatever was written",
    () => {
      fc.assert(
        fc.property(target.texts, (text) => check(target, text)),
        { ...SEED, numRuns: RUNS, reporter: (details) => report(name, details) },
      );
    },
    IS_LONG ? 3_600_000 : undefined,
  );

  it(
    "takes twice the time for twice the text",
    () => {
      for (const piece of IS_LONG ? target.pieces : target.pieces.slice(0, 1))
        expectLinear(target, piece, Math.min(MOST, target.most ?? MOST), IS_LONG ? CLEAR_MS : FLOOR_MS);
    },
    IS_LONG ? 3_600_000 : undefined,
  );
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

/** A text, or a piece and how often it stands there: what is slow is long, and nobody wants to keep that. */
type Kept = { readonly piece: string; readonly count: number };

function corpusOf(name: string): Kept[] {
  const folder = join(CORPUS, name);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((file) => {
    const text = readFileSync(join(folder, file), "utf8");
    return file.endsWith(".json") ? (JSON.parse(text) as Kept) : { piece: text, count: 1 };
  });
}

/** What a long run finds becomes a file, to be committed with the fix. */
function keep(name: string, { piece, count }: Kept): void {
  if (!IS_LONG) return;
  const text = count === 1 ? piece : `{ "piece": ${JSON.stringify(piece)}, "count": ${count} }\n`;
  const file = `${createHash("sha256").update(text).digest("hex").slice(0, 12)}.${count === 1 ? "txt" : "json"}`;
  mkdirSync(join(CORPUS, name), { recursive: true });
  writeFileSync(join(CORPUS, name, file), text);
}

function report(name: string, details: fc.RunDetails<[string]>): void {
  if (!details.failed) return;
  if (details.counterexample) keep(name, { piece: details.counterexample[0], count: 1 });
  throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance });
}

const SHORT = 8_000;
/** As long as a text becomes, for readers without an end of their own. */
const MOST = IS_LONG ? 2_000_000 : 64_000;
/** Only what looks slow is tried so often; the best of few says too little on a busy machine. */
const TRIES = 8;
/** Below this the clock says nothing. */
const FLOOR_MS = 40;

/** Here what grows with the square has outgrown what does not. */
const CLEAR_MS = 200;
/** From here on memory is no excuse: arrays that outgrow a cache or the young generation cost four times as much, once. */
const SURE_MS = 400;

/**
 * Doubles the text until its time can be told, and then holds it against that of the half. What is quadratic takes four
 * times as long, and does so again for the next double.
 */
function expectLinear(target: Target, piece: string, most: number, enough: number): void {
  const text = (chars: number): string => piece.repeat(Math.ceil(chars / piece.length));
  let chars = Math.min(SHORT, most);
  while (chars < most && timeOf(target, text(chars)) < enough) chars = Math.min(2 * chars, most);
  for (; ; chars *= 2) {
    const { one, two } = compare(target, text(chars / 2), text(chars));
    if (two < FLOOR_MS || two < 3 * one) return;
    if (two < SURE_MS && 2 * chars <= (target.most ?? 4 * MOST)) continue;
    keep(target.name, { piece, count: Math.ceil(chars / piece.length) });
    const [long, short] = [Math.round(two), Math.round(one)];
    expect.fail(
      `${JSON.stringify(piece)} takes ${long} ms for ${chars} characters, ${short} ms for half of them`,
    );
  }
}

/** By the best of their tries: a busy machine stretches one and not the next. */
function compare(
  target: Target,
  short: string,
  long: string,
): { readonly one: number; readonly two: number } {
  let [one, two] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tries = 0; tries < TRIES; tries += 1) {
    two = Math.min(two, timeOf(target, long));
    one = Math.min(one, timeOf(target, short));
    if (two < FLOOR_MS || two < 3 * one) break;
  }
  return { one, two };
}

function timeOf(target: Target, text: string): number {
  return millisOf(() => outcome(target, text));
}

function millisOf(act: () => void): number {
  const cpu = process.cpuUsage();
  const clock = performance.now();
  act();
  const { user, system } = process.cpuUsage(cpu);
  return Math.min(performance.now() - clock, (user + system) / 1000);
}
