import type { Ancestry } from "../../graph/ancestry.ts";
import type { StageGraph } from "../../graph/stage-graph.ts";
import type { StageId } from "../../ids.ts";
import { eachCandidatePair, globsOverlap, isGlob } from "../globs-overlap.ts";
import type { PlacedStage, Rule } from "../plan-draft.ts";
import type { Path } from "../read/read-yaml.ts";
import type { Reporter } from "../report-problems.ts";

/**
 * Two stages that may run at the same time should not write the same file. The same path in both is an error. Paths
 * and patterns that could mean a common file are a warning: whether the stages will really meet there, nobody knows yet.
 *
 * They are grouped by their text and the number of comparisons is bounded, so that 10,000 stages are checked in a
 * moment; when the bound leaves something out, that is said.
 */
export const checkOwnership: Rule = (draft, reporter) => {
  const claims = collectClaims(draft.stages);
  const ancestry = claims.size === 0 ? null : draft.ancestry();
  if (!ancestry || !draft.graph) return;
  const order = createOrder(draft.stages, draft.graph, ancestry);
  for (const [path, list] of claims) {
    if (list.length > 1) reportShared(path, list, order, reporter);
  }
  reportOverlaps(claims, order, reporter);
};

type Claim = { readonly stage: StageId; readonly at: Path };
type Claims = ReadonlyMap<string, readonly Claim[]>;

function collectClaims(stages: readonly PlacedStage[]): Claims {
  const claims = new Map<string, Claim[]>();
  for (const { stage, owned } of stages) {
    for (const { path, at } of owned) {
      const list = claims.get(path) ?? [];
      if (list.at(-1)?.stage !== stage.id) list.push({ stage: stage.id, at });
      claims.set(path, list);
    }
  }
  return claims;
}

type Order = { mayOverlap(a: Claim, b: Claim): boolean; place(claim: Claim): number };

/** Synthesis stages come after all others without saying so. */
function createOrder(stages: readonly PlacedStage[], graph: StageGraph, ancestry: Ancestry): Order {
  const last = new Set(stages.flatMap(({ stage }) => (stage.synthesis ? [stage.id] : [])));
  return {
    mayOverlap: (a, b) => last.has(a.stage) === last.has(b.stage) && ancestry.mayOverlap(a.stage, b.stage),
    place: ({ stage }) => (last.has(stage) ? graph.order.length : (graph.levels.get(stage) ?? 0)),
  };
}

const MAX_PAIRS = 50_000;
const MAX_REPORTED = 50;
const MAX_PER_PATH = 5;

/**
 * Sorted by when they can run, the owners are one after the other exactly when each comes before the next, so
 * neighbours are all that has to be compared.
 */
function reportShared(path: string, claims: readonly Claim[], order: Order, reporter: Reporter): void {
  const sorted = claims.toSorted((a, b) => order.place(a) - order.place(b));
  let reported = 0;
  for (const [index, claim] of sorted.entries()) {
    const before = sorted[index - 1];
    if (!before || !order.mayOverlap(before, claim)) continue;
    reported += 1;
    if (reported > MAX_PER_PATH) return;
    if (isGlob(path)) reportOverlap(path, path, before, claim, reporter);
    else {
      reporter.error(
        claim.at,
        `\`${before.stage}\` and \`${claim.stage}\` may run at the same time and both own \`${path}\`.`,
        `Let one of them own it, or let \`${claim.stage}\` depend on \`${before.stage}\`.`,
      );
    }
  }
}

function reportOverlaps(claims: Claims, order: Order, reporter: Reporter): void {
  let pairs = 0;
  let reported = 0;
  eachCandidatePair(claims.keys(), (a, b) => {
    pairs += 1;
    if (pairs > MAX_PAIRS || reported >= MAX_REPORTED) {
      reporter.warning(
        ["stages"],
        "The plan has too many file patterns that may overlap; not all of them were compared.",
        "Use narrower patterns, or make sure yourself that parallel stages own different files.",
      );
      return false;
    }
    const pair = globsOverlap(a, b) && findParallel(claims.get(a) ?? [], claims.get(b) ?? [], order);
    if (pair) {
      reported += 1;
      reportOverlap(a, b, pair[0], pair[1], reporter);
    }
    return true;
  });
}

function findParallel(some: readonly Claim[], others: readonly Claim[], order: Order): [Claim, Claim] | null {
  for (const one of some.slice(0, MAX_REPORTED)) {
    const other = others.slice(0, MAX_REPORTED).find((claim) => order.mayOverlap(one, claim));
    if (other) return [one, other];
  }
  return null;
}

function reportOverlap(pattern: string, other: string, a: Claim, b: Claim, reporter: Reporter): void {
  const what = pattern === other ? `\`${pattern}\`` : `\`${pattern}\` and \`${other}\``;
  reporter.warning(
    b.at,
    `\`${a.stage}\` and \`${b.stage}\` may run at the same time, and what they own may overlap: ${what}.`,
    `Narrow the patterns, or let \`${b.stage}\` depend on \`${a.stage}\`.`,
  );
}
