import { describe, expect, it } from "vitest";
import { type DesignStatus, designStatusOf, withStatus } from "../../../src/core/planning/design-ref.ts";

const plan = (ref: string): string =>
  `---\ntitle: "A plan"\ndesign_ref: ${ref}\nstatus: draft\n---\n\n# A plan\n`;
const amended = { by: "ada", via: "push", blob: null } as const;

describe("the design of a run that is done", () => {
  const statuses = (text: string): DesignStatus[] => [
    designStatusOf({ planText: text, amended: null }),
    designStatusOf({ planText: text, amended }),
  ];

  it("was approved with its plan, changed or not", () => {
    for (const ref of ['"design.md"', "PLAN.design.md", "null"])
      expect(statuses(plan(ref)), ref).toEqual(["approved", "approved"]);
    expect(statuses("# A plan without front matter\n")).toEqual(["approved", "approved"]);
  });

  it("was left behind where the plan was changed to name another", () => {
    expect(statuses(plan("docs/other.md"))).toEqual(["approved", "superseded"]);
  });
});

it("says its status in its front matter, and leaves the rest alone", () => {
  const design = '---\ntitle: "A design"\nstatus: draft\n---\n\nstatus: draft\n';
  expect(withStatus(design, "approved")).toBe(design.replace("draft", "approved"));
  expect(withStatus("status: draft\n", "approved")).toBe("status: draft\n");
});
