import { code, escapeSentence } from "../../../markdown/escape-markdown.ts";
import type { Problem } from "../../../plan/problem.ts";
import { counted } from "../../../text/durations.ts";

const MAX_SHOWN = 50;

/** What is wrong with a file, each with its place and the way out; errors and warnings alike. */
export function renderProblems(problems: readonly Problem[], most = MAX_SHOWN): string {
  const lines = problems.slice(0, most).map(({ line, path, severity, message, fix }) => {
    const place = [...(line === null ? [] : [`line ${line}`]), ...(path === "" ? [] : [code(path)])].join(
      ", ",
    );
    const kind = severity === "warning" ? "warning" : "";
    const head = [place, kind].filter((part) => part !== "").join(", ");
    return `- ${head === "" ? "" : `${head}: `}${escapeSentence(message, 400)} ${escapeSentence(fix, 300)}`.trimEnd();
  });
  const left = problems.length - lines.length;
  return [...lines, ...(left > 0 ? [`- … and ${counted(left, "more problem")}.`] : [])].join("\n");
}

/** "2 errors, 1 warning" */
export function countProblems(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const warnings = problems.length - errors;
  const parts = [
    ...(errors > 0 ? [counted(errors, "error")] : []),
    ...(warnings > 0 ? [counted(warnings, "warning")] : []),
  ];
  return parts.join(", ") || "no problems";
}
