import type { Problem } from "../plan/problem.ts";
import { decodeText } from "../plan/read/decode-text.ts";
import { readYaml } from "../plan/read/read-yaml.ts";
import { createReporter, cutProblems, formatPath, sortProblems } from "../plan/report-problems.ts";
import { splitLines } from "../text/text-lines.ts";
import { parseCommandPattern } from "./command-pattern.ts";
import type { Matcher, Policy } from "./policy.ts";
import { checkRules } from "./policy-rules.ts";
import { type WrittenRule, writtenPolicySchema } from "./policy-schema.ts";
import { reportPolicyShape } from "./policy-shape.ts";

export type { Policy } from "./policy.ts";

const MAX_CHARS = 262_144;

export type ParsedPolicy = {
  /** null when there is any error: half of the rules would be less protection than was asked for. */
  readonly policy: Policy | null;
  /** All of them, in the order of the file. */
  readonly problems: readonly Problem[];
};

/** Reads a rule file. Linear in the text, whatever it holds, and nothing is thrown. */
export function parsePolicy(text: string | Uint8Array): ParsedPolicy {
  if (text.length > MAX_CHARS) {
    return refuse([wholeFile("The file is larger than 256 KB.", "Join rules that decide the same.")]);
  }
  const decoded = decodeText(text);
  if (decoded.kind === "unreadable") return refuse([decoded.problem]);
  const lines = splitLines(decoded.text);
  const { source, problems: misread } = readYaml(lines, { from: 0, to: lines.count });
  if (!source) return refuse(misread);
  const written = source.value ?? null;
  const reporter = createReporter((at) => ({ path: formatPath(at), line: source.lineOf(at), file: null }));
  const parsed = writtenPolicySchema.safeParse(written);
  if (!parsed.success) reportPolicyShape(parsed.error.issues, written, reporter);
  checkRules(written, reporter);
  const problems = [...misread, ...reporter.problems];
  if (problems.length > 0 || !parsed.success) return refuse(problems);
  const { otherwise, rules } = parsed.data;
  return {
    policy: {
      otherwise,
      rules: rules.map(({ id, decision, reason, ...rest }) => ({
        id,
        decision,
        reason,
        matcher: toMatcher(rest),
      })),
    },
    problems: [],
  };
}

function toMatcher(rule: Omit<WrittenRule, "id" | "decision" | "reason">): Matcher {
  if (rule.redirection) return { kind: "output-to-file" };
  if (rule.here_document) return { kind: "here-document" };
  return {
    kind: "commands",
    commands: (rule.commands ?? []).map(parseCommandPattern),
    arguments: rule.arguments ?? [],
  };
}

function refuse(problems: readonly Problem[]): ParsedPolicy {
  return { policy: null, problems: cutProblems(sortProblems(problems)) };
}

function wholeFile(message: string, fix: string): Problem {
  return { severity: "error", path: "", line: null, message, fix };
}
