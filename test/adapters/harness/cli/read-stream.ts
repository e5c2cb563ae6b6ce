import { readFileSync } from "node:fs";
import fc from "fast-check";
import type { Conclusion, StreamReader } from "../../../../src/adapters/harness/cli/cli.ts";
import type { Line } from "../../../../src/adapters/harness/read-lines.ts";
import type { HarnessEvent, SessionSpec } from "../../../../src/ports/harness.ts";
import type { ProcessExit } from "../../../../src/ports/process-supervisor.ts";
import type { Traffic } from "../../../../src/ports/sandbox.ts";
import { aSessionSpec } from "../../../support/session-spec.ts";

/** What a CLI is asked to do when nothing about it is special. */
export function aCliSpec(parts: Partial<SessionSpec> = {}): SessionSpec {
  const where = { tree: "/work/tree", home: "/work/home", marker: "m1" };
  return aSessionSpec({ ...where, rules: "Rules.", task: "Task.", ...parts });
}

/** The lines of a stream that a real CLI wrote. */
export function recorded(name: string): string[] {
  const file = new URL(`../../../fixtures/streams/${name}.jsonl`, import.meta.url);
  return readFileSync(file, "utf8").split("\n").filter(Boolean);
}

const FAILURES = [
  "401",
  "429",
  "500",
  "context",
  "context-stream",
  "cut",
  "no-model",
  "overloaded",
  "overloaded-stream",
  "quota",
];

/** The streams of a CLI that could not go on. */
export function recordedFailures(cli: string): string[] {
  return FAILURES.map((name) => `${cli}.${name}`);
}

export type Reading = { readonly events: readonly HarnessEvent[]; readonly end: Conclusion };

export function readStream(
  reader: StreamReader,
  lines: readonly (string | Line)[],
  exit: ProcessExit,
  traffic: readonly Traffic[] = [],
): Reading {
  const events = lines.flatMap((line) => reader.read(typeof line === "string" ? outLine(line) : line));
  return { events, end: reader.conclude(exit, traffic) };
}

export function outLine(text: string): Line {
  return { stream: "stdout", text, cutBytes: 0 };
}

export function errLine(text: string): Line {
  return { stream: "stderr", text, cutBytes: 0 };
}

/** One line per event, as short as can be. */
export function tellEvents(events: readonly HarnessEvent[]): string[] {
  return events.map(({ kind, ...rest }) => {
    const values = Object.values(rest).map((value) =>
      typeof value === "string" ? value : JSON.stringify(value),
    );
    return [kind, ...values].join(" | ");
  });
}

/** Streams as they come when something goes wrong: lines missing, doubled, mixed, cut, of another kind. */
export function mutated(streams: readonly (readonly string[])[]): fc.Arbitrary<Line[]> {
  const real = fc.constantFrom(...streams.flat());
  const half = fc
    .tuple(real, fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([line, share]) => line.slice(0, line.length * share));
  const torn = fc.tuple(real, fc.nat(), fc.string()).map(([line, at, noise]) => {
    const place = at % line.length;
    return line.slice(0, place) + noise + line.slice(place + 1);
  });
  const swapped = fc
    .tuple(real, fc.jsonValue())
    .chain(([line, value]) =>
      fc.nat().map((pick) => JSON.stringify(replaceOne(JSON.parse(line), pick, value))),
    );
  const text = fc.oneof(real, half, torn, swapped, fc.json(), fc.string());
  const line = fc.record({
    stream: fc.constantFrom("stdout" as const, "stderr" as const),
    text,
    cutBytes: fc.constantFrom(0, 0, 0, 5),
  });
  return fc.array(line, { maxLength: 40 });
}

/** The object with another value in one of its places. */
function replaceOne(root: unknown, pick: number, value: unknown): unknown {
  const places: (() => void)[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const key of Object.keys(node)) {
      places.push(() => Object.assign(node, { [key]: value }));
      visit((node as Record<string, unknown>)[key]);
    }
  };
  visit(root);
  places[pick % Math.max(1, places.length)]?.();
  return root;
}

const KINDS = new Set([
  "activity",
  "compacted",
  "context",
  "output",
  "rate-limit",
  "retrying",
  "started",
  "text",
  "tool",
  "tool-result",
  "usage",
]);

/** What must hold for each event, whatever it was read from; the first thing that does not. */
export function findFlaw(events: readonly HarnessEvent[]): string | null {
  for (const event of events) {
    if (!KINDS.has(event.kind)) return `kind ${event.kind}`;
    const numbers =
      event.kind === "usage"
        ? [event.usage.inputTokens, event.usage.outputTokens, event.usage.costUsd ?? 0]
        : event.kind === "context"
          ? [event.used, event.window]
          : [];
    if (!numbers.every((number) => Number.isFinite(number) && number >= 0)) return JSON.stringify(event);
    if (event.kind === "context" && event.window === 0) return "a window of nothing";
    if (event.kind === "output" && event.text.length > 17_000) return "a long line in the log";
  }
  return null;
}
