import { describe, expect, it } from "vitest";
import { commitMessage, recordMessage } from "../../../src/core/merge/trailers.ts";

const message = (more: Partial<Parameters<typeof commitMessage>[0]>): string =>
  commitMessage({ subject: "Build it", body: "", run: "run-1", stage: "build", attempt: 2, ...more });

describe("commitMessage", () => {
  it("has a subject, a body and the trailers as its last paragraph", () => {
    expect(message({ body: "Why: because.\n\n- one\n- two\n" })).toMatchInlineSnapshot(`
      "Build it

      Why: because.

      - one
      - two

      Loom-Run: run-1
      Loom-Stage: build
      Loom-Attempt: 2
      "
    `);
    expect(message({})).toMatchInlineSnapshot(`
      "Build it

      Loom-Run: run-1
      Loom-Stage: build
      Loom-Attempt: 2
      "
    `);
  });

  it("keeps the subject to one clean line of at most 72 characters", () => {
    const subject = (text: string): string => message({ subject: text }).split("\n")[0] ?? "";
    expect(subject("-F/etc/passwd")).toBe("F/etc/passwd");
    expect(subject("one\ntwo\u001b[31m\u202e three")).toBe("one two [31m three");
    expect(subject(" \n ")).toBe("Stage build");
    expect(Array.from(subject("ü".repeat(200)))).toHaveLength(72);
    expect(subject("ü".repeat(200))).toMatch(/ü…$/);
    expect(subject("x".repeat(72))).toBe("x".repeat(72));
  });

  it("lets nothing in the body pass for a trailer, and names no co-author", () => {
    const body =
      "Note: fine\nLoom-Stage: other\nSigned-off-by: x\n  Co-Authored-By: bot\nco-authored-by : y\n\nLoom-Run: z";
    expect(message({ body })).toMatchInlineSnapshot(`
      "Build it

      Note: fine
      > Loom-Stage: other
      > Signed-off-by: x

      > Loom-Run: z

      Loom-Run: run-1
      Loom-Stage: build
      Loom-Attempt: 2
      "
    `);
  });

  it("cuts a long body and counts the cut", () => {
    expect(message({ body: "x".repeat(5_000) })).toContain("x\n… (1000 more characters)\n\nLoom-Run: run-1");
  });

  it("takes no name that is not an id", () => {
    expect(() => message({ run: "a\nLoom-Stage: b" })).toThrow("is not an id");
    expect(() => message({ stage: "$(id)" })).toThrow("is not an id");
  });
});

describe("recordMessage", () => {
  it("says which run and how it ended", () => {
    expect(recordMessage({ text: "Record the run run-1", run: "run-1", status: "completed" })).toBe(
      "Record the run run-1\n\nLoom-Run: run-1\nLoom-Record: completed\n",
    );
  });
});
