import type { Problem } from "../../plan/problem.ts";
import { decodeText } from "../../plan/read/decode-text.ts";
import { readYaml } from "../../plan/read/read-yaml.ts";
import { createReporter, cutProblems, formatPath, sortProblems } from "../../plan/report-problems.ts";
import { splitLines } from "../../text/text-lines.ts";
import { fillInConfig } from "./fill-in-config.ts";
import { DEFAULT_REPOSITORY_CONFIG, type RepositoryConfig } from "./repository-config.ts";
import { checkDisabled, checkLabels, checkPatience, type LabelField } from "./repository-config-rules.ts";
import { writtenConfigSchema } from "./repository-config-schema.ts";
import { reportConfigShape } from "./repository-config-shape.ts";

const LABEL_FIELDS: readonly LabelField[] = [
  { path: ["approval", "label"], usual: DEFAULT_REPOSITORY_CONFIG.approval.label },
  { path: ["labels", "plan_review"], usual: DEFAULT_REPOSITORY_CONFIG.labels.planReview },
  { path: ["labels", "approved"], usual: DEFAULT_REPOSITORY_CONFIG.labels.approved },
  { path: ["labels", "running"], usual: DEFAULT_REPOSITORY_CONFIG.labels.running },
  { path: ["labels", "needs_human"], usual: DEFAULT_REPOSITORY_CONFIG.labels.needsHuman },
  { path: ["labels", "blocked"], usual: DEFAULT_REPOSITORY_CONFIG.labels.blocked },
  { path: ["labels", "done"], usual: DEFAULT_REPOSITORY_CONFIG.labels.done },
];

const MAX_CHARS = 65_536;

export type ReadRepositoryConfig = {
  /** null when there is any error: a file that can't be understood must not fall back to less protection. */
  readonly config: RepositoryConfig | null;
  /** All of them, in the order of the file. */
  readonly problems: readonly Problem[];
};

/** What stands at the file's path. */
export type RepositoryConfigFile =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "absent" | keyof typeof UNREAD };

/** One that is there and is not read counts as broken, and never as none: nobody knows what protection it asks for (T5). */
export function readRepositoryConfigFile(
  file: RepositoryConfigFile,
  agents: readonly string[],
): ReadRepositoryConfig {
  if (file.kind === "text") return readRepositoryConfig(file.text, agents);
  return file.kind === "absent" ? readRepositoryConfig(null, agents) : refuse([UNREAD[file.kind]]);
}

/** `null`: the repository has no such file; nobody says which agents there are. Linear in the text, whatever it holds, and nothing is thrown (T25). */
export function readRepositoryConfig(
  text: string | Uint8Array | null,
  agents: readonly string[] | null = null,
): ReadRepositoryConfig {
  if (text === null) return { config: DEFAULT_REPOSITORY_CONFIG, problems: [] };
  if (text.length > MAX_CHARS) return refuse([UNREAD["too-large"]]);
  const decoded = decodeText(text);
  if (decoded.kind === "unreadable") return refuse([decoded.problem]);
  const lines = splitLines(decoded.text);
  const { source, problems: misread } = readYaml(lines, { from: 0, to: lines.count });
  if (!source) return refuse(misread);
  const written = source.value ?? null;
  if (written === null && misread.length === 0) return { config: DEFAULT_REPOSITORY_CONFIG, problems: [] };
  const reporter = createReporter((at) => ({ path: formatPath(at), line: source.lineOf(at), file: null }));
  const parsed = writtenConfigSchema.safeParse(written);
  if (!parsed.success) reportConfigShape(parsed.error.issues, written, reporter);
  checkLabels(written, LABEL_FIELDS, reporter);
  checkPatience(written, reporter);
  if (agents) checkDisabled(written, agents, reporter);
  const problems = [...misread, ...reporter.problems];
  if (problems.some(({ severity }) => severity === "error") || !parsed.success) return refuse(problems);
  return { config: fillInConfig(parsed.data), problems: sortProblems(problems) };
}

const UNREAD = {
  "too-large": wholeFile("The file is larger than 64 KB.", "Keep what you need; few settings have one."),
  "not-plain": wholeFile("It is not a plain file.", "Put a plain file in its place, or remove it."),
} as const;

function refuse(problems: readonly Problem[]): ReadRepositoryConfig {
  return { config: null, problems: cutProblems(sortProblems(problems)) };
}

function wholeFile(message: string, fix: string): Problem {
  return { severity: "error", path: "", line: null, message, fix };
}
