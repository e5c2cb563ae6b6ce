import type { Reporter } from "../plan/report-problems.ts";
import { quote } from "../text/quote.ts";

const MATCHERS = ["commands", "arguments", "redirection", "here_document"];

/**
 * What has to hold inside a rule and between rules; looked at in the text as it was written, so that it comes to light
 * together with whatever else is wrong.
 */
export function checkRules(written: unknown, reporter: Reporter): void {
  const rules = fieldOf(written, "rules");
  if (!Array.isArray(rules)) return;
  const places = new Map<string, number>();
  rules.forEach((rule: unknown, at) => {
    if (typeof rule !== "object" || rule === null || Array.isArray(rule)) return;
    const given = MATCHERS.filter((key) => fieldOf(rule, key) !== undefined);
    const isMixed = given.length > 1 && given.some((key) => key === "redirection" || key === "here_document");
    if (given.length === 0) {
      reporter.error(
        ["rules", at],
        "The rule does not say what it is about.",
        'Add `commands: ["git push"]`, `arguments`, `redirection: to-file` or `here_document: true`.',
      );
    } else if (isMixed) {
      reporter.error(
        ["rules", at],
        `The rule is about ${given.map(quote).join(" and ")} at once.`,
        "Make a rule of its own for each; only `commands` and `arguments` go together.",
      );
    }
    checkId(fieldOf(rule, "id"), at, places, reporter);
  });
}

function checkId(id: unknown, at: number, places: Map<string, number>, reporter: Reporter): void {
  if (typeof id !== "string" || id.trim() === "") return;
  const first = places.get(id.trim());
  if (first === undefined) places.set(id.trim(), at);
  else {
    reporter.error(
      ["rules", at, "id"],
      `${quote(id)} is the id of another rule already (${reporter.placeOf(["rules", first, "id"])}).`,
      "Give each rule an id of its own.",
    );
  }
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
