import type { Run } from "../run/run.ts";
import type { Task } from "../task/task.ts";

/** The design of a plan that says nothing else. */
export const DESIGN_FILE = "design.md";

/** Where the design that came of a task stands, seen from its plan; null: there is none. */
export function designRef({ design, plan }: Pick<Task, "design" | "plan">): string | null {
  if (!design) return null;
  return plan?.path == null ? DESIGN_FILE : designNameFor(plan.path);
}

/** The file beside a plan that somebody keeps under a name of their own. */
export function designNameFor(planPath: string): string {
  const name = planPath.split("/").at(-1) ?? "";
  return `${name.replace(/\.md$/i, "")}.design.md`;
}

/** What the front matter of a plan names as its design, seen from the plan; null: nothing. */
export function readDesignRef(planText: string): string | null {
  const front = /^(?:\uFEFF)?---\r?\n([\s\S]{0,4000}?)\r?\n---(?:\r?\n|$)/.exec(planText)?.[1] ?? "";
  const written = /^design_ref:[ \t]*(?:"([^"\\\r\n]{1,400})"|([^"'\s#][^\r\n#]{0,399}))[ \t]*$/m.exec(front);
  const ref = (written?.[1] ?? written?.[2] ?? "").trim();
  return ref === "" || ref === "null" || ref === "~" ? null : ref;
}

/** Its name in the folder of a run: the one that the plan beside it names, where that can't be taken for another document. */
export function designFileOf(planText: string): string {
  const ref = readDesignRef(planText) ?? "";
  return /^\w[\w.-]{0,100}\.design\.md$/.test(ref) ? ref : DESIGN_FILE;
}

/** What a design can be; unlike a run, and unlike its plan, it is never completed. */
export type DesignStatus = "draft" | "approved" | "superseded";

/**
 * What became of the design of a run that is done: whoever approved the plan approved it too. A plan that people changed to
 * name another design left it behind; one that is planned anew keeps it.
 */
export function designStatusOf({ planText, amended }: Pick<Run, "planText" | "amended">): DesignStatus {
  const ref = readDesignRef(planText);
  return amended !== null && ref !== null && ref !== designFileOf(planText) ? "superseded" : "approved";
}

/** A design says in its front matter what has become of it. */
export function withStatus(document: string, status: DesignStatus): string {
  const end = document.startsWith("---\n") ? document.indexOf("\n---", 3) : -1;
  if (end < 0) return document;
  return document.slice(0, end).replace(/^status: .*$/m, `status: ${status}`) + document.slice(end);
}
