import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findingKey } from "../../../src/core/findings/finding-keys.ts";
import { knownFindings, type Told } from "../../../src/core/findings/known-findings.ts";
import type { LineRemark } from "../../../src/core/findings/line-remark.ts";
import { placeFindings } from "../../../src/core/findings/place-findings.ts";
import { type Reconciled, reconcile } from "../../../src/core/findings/reconcile.ts";
import { findingSection, isSection } from "../../../src/core/report/github/tasks/finding-sections.ts";
import { taskReplies } from "../../../src/core/report/github/tasks/task-replies.ts";
import type { AuditResult, Finding } from "../../../src/core/task/task-events.ts";
import { parseDiff } from "../../../src/core/text/parse-diff.ts";

const DIFF = parseDiff("--- a/a.ts\n+++ b/a.ts\n@@ -0,0 +1,5 @@\n+1\n+2\n+3\n+4\n+5\n");

function finding(id: string, fields: Partial<Finding> = {}): Finding {
  return {
    id,
    severity: "high",
    title: `About ${id}`,
    body: "",
    file: "a.ts",
    line: 2,
    endLine: null,
    suggestion: null,
    ...fields,
  };
}

function remark(id: string, fields: Partial<LineRemark> = {}): LineRemark {
  const number = Number(id.slice(1));
  return {
    id: number * 100,
    key: findingKey("review", id),
    body: bodyOf(finding(id)),
    path: "a.ts",
    line: 2,
    startLine: null,
    resolvedBy: null,
    replies: [],
    thread: `thread-${number}`,
    ...fields,
  };
}

function bodyOf(one: Finding): string {
  const [placed] = placeFindings([one], DIFF).onLines;
  return placed ? taskReplies.remarkBody(placed) : "";
}

function run(
  findings: readonly Finding[],
  options: {
    earlier?: AuditResult["earlier"];
    remarks?: readonly LineRemark[];
    told?: readonly string[];
    fixed?: readonly string[];
    /** In the text of a review. */
    inText?: readonly Finding[];
  } = {},
): Reconciled {
  const result: AuditResult = {
    summary: "",
    findings: [...findings],
    earlier: options.earlier ?? [],
    notes: [],
  };
  const { told = [], fixed = [], inText = [], remarks = [] } = options;
  const body = inText.map((one) => findingSection(one, null, 8_000)).join("\n\n");
  const known = knownFindings("review", {
    told: new Map([
      ...told.map((id): [string, Told] => [id, { finding: finding(id), fixed: false }]),
      ...fixed.map((id): [string, Told] => [id, { finding: finding(id), fixed: true }]),
    ]),
    remarks,
    reviews: [{ key: "review-review-1-1", body }],
  });
  const words = { remarkBody: taskReplies.remarkBody, isSection };
  return reconcile({ known, result, placed: placeFindings(findings, DIFF), words });
}

const ids = (list: readonly { readonly finding: Finding }[]): string[] => list.map((one) => one.finding.id);
const NO_FATES = { fresh: [], updated: [], standing: [], settled: [], resolved: [], struck: [], unsaid: [] };
const SETTLED = { resolvedBy: "people" } as const;
const OUTDATED = { line: null };

describe("a first audit", () => {
  it("puts everything into one review", () => {
    const done = run([finding("F1"), finding("F2", { line: 90 })]);
    expect(ids(done.fresh)).toEqual(["F1"]);
    expect(done.freshElsewhere.map(({ id }) => id)).toEqual(["F2"]);
    expect(done).toMatchObject({ edit: [], resolve: [], fates: { ...NO_FATES, fresh: ["F1", "F2"] } });
  });

  it("does nothing for nothing", () => {
    const nothing = { fresh: [], freshElsewhere: [], edit: [], rewrite: [], resolve: [] };
    expect(run([])).toEqual({ ...nothing, fates: NO_FATES });
  });
});

describe("a second audit", () => {
  it("leaves alone what it says again, changes what it says otherwise, and adds what is new", () => {
    const done = run([finding("F1"), finding("F2", { body: "Worse than I thought." }), finding("F3")], {
      remarks: [remark("F1"), remark("F2")],
      told: ["F1", "F2"],
    });
    expect(done.edit).toEqual([
      { remark: 200, id: "F2", body: "**high:** About F2\n\nWorse than I thought." },
    ]);
    expect(ids(done.fresh)).toEqual(["F3"]);
    expect(done.fates).toEqual({ ...NO_FATES, standing: ["F1"], updated: ["F2"], fresh: ["F3"] });
  });

  it("settles what is fixed, unless it is settled or raised again", () => {
    const fixed = ["F1", "F2", "F3", "F4"].map((id) => ({ id, state: "fixed" as const }));
    const done = run([finding("F3")], {
      earlier: fixed,
      remarks: [remark("F1"), remark("F2", SETTLED), remark("F3")],
    });
    expect(done.resolve).toEqual([{ thread: "thread-1", id: "F1" }]);
    expect(done.fates).toEqual({ ...NO_FATES, standing: ["F3"], resolved: ["F1"] });
  });

  it("strikes what is fixed and was told in a text only", () => {
    const earlier = ["F1", "F2"].map((id) => ({ id, state: "fixed" as const }));
    const done = run([], { earlier, inText: [finding("F1")], fixed: ["F2"] });
    expect(done).toMatchObject({ resolve: [], fates: { ...NO_FATES, struck: ["F1"] } });
  });

  it("tells of what is open and the agent did not speak of", () => {
    const done = run([], {
      remarks: [remark("F1"), remark("F2", SETTLED), remark("F5")],
      told: ["F1", "F2", "F3"],
      inText: [finding("F3")],
      fixed: ["F4"],
    });
    expect(done.fates).toEqual({ ...NO_FATES, unsaid: ["F1", "F3", "F5"] });
  });

  it("does not raise again what people settled", () => {
    const settled = { remarks: [remark("F1", SETTLED)], told: ["F1"] };
    expect(run([finding("F1", { body: "Still." })], settled)).toMatchObject({
      fresh: [],
      edit: [],
      fates: { ...NO_FATES, settled: ["F1"] },
    });
  });

  it("does not say again what it said without a line", () => {
    const loose = finding("F1", { line: 90 });
    const done = run([loose], { told: ["F1"], inText: [loose] });
    expect(done).toMatchObject({ fresh: [], freshElsewhere: [], fates: { ...NO_FATES, standing: ["F1"] } });
  });

  it("changes what it said without a line in that text, also when there is a line for it by now", () => {
    const before = finding("F1", { line: 90 });
    for (const now of [
      { ...before, body: "Worse." },
      finding("F1"),
      { ...before, severity: "low" as const },
    ]) {
      const done = run([now], { told: ["F1"], inText: [before] });
      expect(done).toMatchObject({
        fresh: [],
        freshElsewhere: [],
        rewrite: [{ review: "review-review-1-1", finding: now }],
        fates: { ...NO_FATES, updated: ["F1"] },
      });
    }
  });

  it("takes what people deleted for settled, and says no more of it", () => {
    const raised = run([finding("F1"), finding("F2", { line: 90 })], { told: ["F1", "F2"] });
    expect(raised).toMatchObject({
      fresh: [],
      freshElsewhere: [],
      fates: { ...NO_FATES, settled: ["F1", "F2"] },
    });
    expect(run([], { told: ["F1"] }).fates).toEqual(NO_FATES);
    // The remark that took its place was deleted, the one before it is resolved.
    const moved = run([finding("F1")], { told: ["F1"], remarks: [remark("F1", { resolvedBy: "loom" })] });
    expect(moved.fates).toEqual({ ...NO_FATES, settled: ["F1"] });
  });

  it("says again what Loom itself had resolved, also when the ledger is lost", () => {
    const resolved = [remark("F1", { resolvedBy: "loom" })];
    expect(run([finding("F1")], { remarks: resolved }).fates).toEqual({ ...NO_FATES, fresh: ["F1"] });
    const people = [remark("F1", SETTLED)];
    expect(run([finding("F1")], { remarks: people }).fates).toEqual({ ...NO_FATES, settled: ["F1"] });
    // Told to be fixed, and GitHub let only people resolve it.
    expect(run([finding("F1")], { remarks: people, fixed: ["F1"] }).fates).toEqual({
      ...NO_FATES,
      fresh: ["F1"],
    });
  });

  it("goes on with its remark when the change does not show the line any more", () => {
    const done = run([finding("F1", { line: 90, body: "Moved." })], {
      remarks: [remark("F1", OUTDATED)],
      told: ["F1"],
    });
    expect(done.edit).toEqual([
      { remark: 100, id: "F1", body: "**high:** About F1\n\nMoved.\n\nIt is about `a.ts:90`." },
    ]);
    expect(done.freshElsewhere).toEqual([]);
  });

  it("moves what stands to a line that the change shows, when its own is gone", () => {
    const done = run([finding("F1", { line: 3 })], { remarks: [remark("F1", OUTDATED)], told: ["F1"] });
    expect(done.fresh).toMatchObject([{ finding: { id: "F1" }, line: 3 }]);
    expect(done).toMatchObject({ edit: [], resolve: [{ thread: "thread-1", id: "F1" }] });
    expect(done.fates).toEqual({ ...NO_FATES, updated: ["F1"] });
  });

  it("leaves a remark in another file as it is, and says it anew where it is now", () => {
    const other = remark("F1", { path: "b.ts" });
    const onLine = run([finding("F1")], { remarks: [other], told: ["F1"] });
    expect(ids(onLine.fresh)).toEqual(["F1"]);
    const off = run([finding("F1", { line: 90 })], { remarks: [other], told: ["F1"] });
    expect(off.freshElsewhere).toMatchObject([{ id: "F1" }]);
    for (const done of [onLine, off])
      expect(done).toMatchObject({
        edit: [],
        resolve: [{ thread: "thread-1" }],
        fates: { ...NO_FATES, updated: ["F1"] },
      });
    // Without a file, it says nothing of another place.
    const loose = run([finding("F1", { file: null, line: null })], { remarks: [other] });
    expect(loose).toMatchObject({ freshElsewhere: [], edit: [], fates: { ...NO_FATES, standing: ["F1"] } });
  });

  it.each([
    ["stands on the same lines", {}, true],
    ["stands on another line", { line: 3 }, false],
    ["stands on more lines", { startLine: 1 }, false],
  ])("suggests a change where its remark %s only", (_where, place, suggests) => {
    const done = run([finding("F1", { suggestion: "two" })], { remarks: [remark("F1", place)] });
    expect(done.edit[0]?.body).toBe(
      suggests
        ? "**high:** About F1\n\n```suggestion\ntwo\n```"
        : "**high:** About F1\n\nIt is about `a.ts:2`.",
    );
  });

  it("takes no notice of remarks of other audits", () => {
    const other = remark("F1", { key: findingKey("security-audit", "F1") });
    const done = run([finding("F1")], { remarks: [other], earlier: [{ id: "F1", state: "fixed" }] });
    expect(ids(done.fresh)).toEqual(["F1"]);
    expect(done.resolve).toEqual([]);
  });

  it("goes on with one of two remarks that two tries left, and settles both", () => {
    const twins = [
      remark("F1", { id: 1, line: null, body: "old", thread: "a" }),
      remark("F1", { id: 2, body: "old", thread: "b" }),
    ];
    expect(run([finding("F1")], { remarks: twins })).toMatchObject({
      edit: [{ remark: 2 }],
      resolve: [{ thread: "a" }],
    });
    const fixed = run([], { remarks: twins, earlier: [{ id: "F1", state: "fixed" }] });
    expect(fixed.resolve.map(({ thread }) => thread)).toEqual(["b", "a"]);
    expect(fixed.fates.resolved).toEqual(["F1"]);
  });

  it("does each thing once, and is quiet when it is done again", () => {
    const id = fc.integer({ min: 1, max: 6 }).map((n) => `F${n}`);
    const one = fc.record({ id, line: fc.constantFrom(1, 2, 90, null), body: fc.constantFrom("", "a", "b") });
    const known = fc.record({
      id,
      resolvedBy: fc.constantFrom("people" as const, null),
      line: fc.constantFrom(2, null),
      body: fc.constantFrom("x", "y"),
    });
    const state = fc.record({ id, state: fc.constantFrom("stands" as const, "fixed" as const) });
    const unique = { selector: (value: { id: string }) => value.id, maxLength: 6 };
    fc.assert(
      fc.property(
        fc.uniqueArray(one, unique),
        fc.uniqueArray(known, unique),
        fc.uniqueArray(state, unique),
        (list, before, earlier) => {
          const findings = list.map(({ id: name, ...fields }) => finding(name, fields));
          const remarks = before.map(({ id: name, ...fields }) => remark(name, fields));
          const done = run(findings, { remarks, earlier });
          const said = Object.values(done.fates).flat();
          expect(new Set(said).size).toBe(said.length);
          const settled = new Set(
            remarks.filter(({ resolvedBy }) => resolvedBy !== null).map(({ thread }) => thread),
          );
          for (const { thread } of done.resolve) expect(settled.has(thread)).toBe(false);
          const after = remarks.map((two) => ({
            ...two,
            body: done.edit.find(({ remark: number }) => number === two.id)?.body ?? two.body,
            resolvedBy: done.resolve.some(({ thread }) => thread === two.thread)
              ? ("loom" as const)
              : two.resolvedBy,
          }));
          const made = done.fresh.map(({ finding: { id: name }, ...placed }, at) =>
            remark(name, {
              id: 1_000 + at,
              thread: `made-${at}`,
              body: taskReplies.remarkBody({
                ...placed,
                finding: finding(
                  name,
                  list.find((two) => two.id === name),
                ),
              }),
              line: placed.line,
              startLine: placed.startLine,
            }),
          );
          const again = run(findings, {
            remarks: [...after, ...made],
            earlier,
            told: findings.map((two) => two.id),
            inText: done.freshElsewhere,
          });
          expect(again).toMatchObject({ fresh: [], freshElsewhere: [], edit: [], rewrite: [], resolve: [] });
        },
      ),
    );
  });
});
