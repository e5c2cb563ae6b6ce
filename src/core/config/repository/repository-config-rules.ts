import { agentName } from "../../plan/agent-profile.ts";
import type { Reporter } from "../../plan/report-problems.ts";
import { nearestName } from "../../text/nearest-name.ts";
import { quote } from "../../text/quote.ts";

/** A label by its place in the file, and what it is when nothing is written there. */
export type LabelField = { readonly path: readonly [string, string]; readonly usual: string };

/**
 * What has to hold between fields, looked at even when other fields are wrong, so that all comes to light at once. Each
 * label means one thing: if the one that approves were also one that Loom sets, Loom would seem to approve its own
 * plans. GitHub does not tell capital letters in labels apart.
 */
export function checkLabels(written: unknown, fields: readonly LabelField[], reporter: Reporter): void {
  const labels = fields.map(({ path: [group, key], usual }) => {
    const value = fieldOf(fieldOf(written, group), key);
    const own = typeof value === "string" ? value : null;
    return { path: [group, key], name: (own ?? usual).trim().toLowerCase(), isWritten: own !== null };
  });
  // Those that are not written come first, so that it is the written one that is to blame.
  const seen = new Map<string, string>();
  for (const { path, name, isWritten } of labels.toSorted(
    (a, b) => Number(a.isWritten) - Number(b.isWritten),
  )) {
    const place = path.join(".");
    const first = seen.get(name);
    if (first === undefined) seen.set(name, place);
    else if (isWritten && name !== "") {
      reporter.error(
        path,
        `${quote(place)} is the same label as ${quote(first)}.`,
        "Give each of them a label of its own.",
      );
    }
  }
}

/** A reminder that comes after the answer was taken for granted reminds nobody. */
export function checkPatience(written: unknown, reporter: Reporter): void {
  const planner = fieldOf(written, "planner");
  const [remind, settle] = ["remind_after_hours", "default_after_hours"].map((key) => fieldOf(planner, key));
  if (typeof remind === "number" && typeof settle === "number" && remind >= settle)
    reporter.error(
      ["planner", "remind_after_hours"],
      "`planner.remind_after_hours` is not before `planner.default_after_hours`.",
      "Write fewer hours, or more in `default_after_hours`.",
    );
}

/** Most likely misspelled, and then it is not disabled. */
export function checkDisabled(written: unknown, agents: readonly string[], reporter: Reporter): void {
  const names = fieldOf(fieldOf(written, "agents"), "disabled");
  if (!Array.isArray(names)) return;
  for (const [index, name] of names.entries()) {
    if (typeof name !== "string" || agents.includes(agentName(name))) continue;
    const near = nearestName(agentName(name), agents);
    reporter.warning(
      ["agents", "disabled", index],
      `There is no agent ${quote(name)} to disable.`,
      near === null ? "Remove it." : `Did you mean ${quote(near)}?`,
    );
  }
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
