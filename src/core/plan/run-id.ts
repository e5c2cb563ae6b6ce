import { isId, type RunId, toId } from "../ids.ts";

const MAX_LABEL = 63 - 9;

/**
 * A readable label and the beginning of the hash of the plan's bytes: the name may recur, the content decides. `planPath`
 * is relative to the root of the repository, with `/`.
 */
export function runIdFor(planPath: string, sha256Hex: string): RunId {
  const hash = sha256Hex.toLowerCase().slice(0, 8);
  const id = `${runLabel(planPath)}-${hash}`;
  return isId(id) ? id : `plan-${hash}`;
}

/** The same for every content of the plan: the folder that it is in, and its name. */
export function runLabel(planPath: string): string {
  const parts = planPath.split("/").filter((part) => part !== "" && part !== "." && part !== "..");
  const file = parts.at(-1) ?? "";
  const stem = file.replace(/(?<=.)\.[^.]*$/, "");
  const label = toId([...parts.slice(-2, -1), stem].join("-")) ?? toId(`plan-${stem}`) ?? "plan";
  return label.slice(0, MAX_LABEL).replace(/(?<!-)-+$/, "");
}
