import type { PlanRefusal, Problem } from "./problem.ts";
import type { Path } from "./read/read-yaml.ts";

/** Collects what is wrong with a plan. Paths are those below `loom:`. */
export type Reporter = {
  readonly problems: readonly Problem[];
  error(at: Path, message: string, fix: string, refused?: PlanRefusal): void;
  warning(at: Path, message: string, fix: string, refused?: PlanRefusal): void;
  lineOf(at: Path): number | null;
  /** As it is told to people: "line 7", or the name of a unit file. */
  placeOf(at: Path): string;
};

/** Finds a path in what the person wrote: the text form of the path, the line, and the file when there are several. */
export type Locate = (at: Path) => {
  readonly path: string;
  readonly line: number | null;
  readonly file: string | null;
};

export function createReporter(locate: Locate): Reporter {
  const problems: Problem[] = [];
  const add =
    (severity: Problem["severity"]) =>
    (at: Path, message: string, fix: string, refused?: PlanRefusal): void => {
      const { path, line } = locate(at);
      problems.push({ severity, path, line, message, fix, ...(refused ? { refused } : {}) });
    };
  return {
    problems,
    error: add("error"),
    warning: add("warning"),
    lineOf: (at) => locate(at).line,
    placeOf(at) {
      const { file, line } = locate(at);
      return file ?? `line ${line}`;
    },
  };
}

export function formatPath(path: Path): string {
  return path.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : text === "" ? step : `${text}.${step}`),
    "",
  );
}

const MAX_PROBLEMS = 1000;

/** In the order of the file, errors first where one line has both. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  const place = (one: Problem): number => one.line ?? 0;
  return problems.toSorted((a, b) => place(a) - place(b) || rank(a) - rank(b));
}

/** A flood is cut, and the cut is counted. What keeps the plan from loading is not cut off behind warnings. */
export function cutProblems(problems: readonly Problem[]): Problem[] {
  if (problems.length <= MAX_PROBLEMS) return [...problems];
  const errors = problems.filter(({ severity }) => severity === "error").slice(0, MAX_PROBLEMS);
  const warnings = problems.filter(({ severity }) => severity === "warning");
  const kept = new Set([...errors, ...warnings.slice(0, MAX_PROBLEMS - errors.length)]);
  return [
    ...problems.filter((one) => kept.has(one)),
    {
      severity: warnings.length < problems.length - errors.length ? "error" : "warning",
      path: "",
      line: null,
      message: `${problems.length - kept.size} more problems are not listed.`,
      fix: "Fix these first and check again.",
    },
  ];
}

function rank({ severity }: Problem): number {
  return severity === "error" ? 0 : 1;
}
