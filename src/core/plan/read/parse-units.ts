import { toId } from "../../ids.ts";
import { scanMarkdown } from "../../markdown/scan-markdown.ts";
import { table } from "../../table.ts";
import { splitLines } from "../../text/text-lines.ts";
import type { Problem } from "../problem.ts";
import { createReporter, cutProblems, formatPath, type Locate, sortProblems } from "../report-problems.ts";
import { MAX_PLAN_BYTES } from "./decode-text.ts";
import type { ParsedPlan } from "./parse-plan.ts";
import { type ParseOptions, readPlan } from "./read-plan.ts";
import { type Path, readYaml, type YamlSource } from "./read-yaml.ts";

export type UnitFile = { readonly name: string; readonly text: string };

const UNIT_NAME = /^(\d+)[-_](.+)\.md$/i;

/**
 * A folder of unit files as a plan: `NN-slug.md`, one stage each, worked on one after the other unless they
 * name dependencies. A leading `---` block may hold any field of a stage, the rest is the description. Other files of
 * the folder are passed over. Problems name the file in their path and count lines in it.
 */
export function compileUnits(files: readonly UnitFile[], options: ParseOptions): ParsedPlan {
  const units = sortUnits(files).map(readUnit);
  if (units.length === 0) return { plan: null, graph: null, problems: [noUnits()] };
  const reporter = createReporter((at) => locate(at, units));
  const { plan, graph } = readPlan({ version: 1, stages: compileStages(units) }, null, options, reporter);
  const problems = [...units.flatMap((unit) => unit.problems), ...reporter.problems];
  const isWrong = problems.some(({ severity }) => severity === "error");
  return { plan: isWrong ? null : plan, graph, problems: cutProblems(sortByFile(problems)) };
}

type Unit = {
  readonly name: string;
  readonly slug: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly source: YamlSource | null;
  readonly title: string | null;
  readonly body: string;
  readonly problems: readonly Problem[];
};

function sortUnits(files: readonly UnitFile[]): UnitFile[] {
  const number = ({ name }: UnitFile): number => Number(UNIT_NAME.exec(name)?.[1]);
  return files
    .filter(({ name }) => UNIT_NAME.test(name))
    .toSorted((a, b) => number(a) - number(b) || (a.name < b.name ? -1 : 1));
}

function readUnit({ name, text }: UnitFile): Unit {
  const slug = UNIT_NAME.exec(name)?.[2] ?? name;
  const problems: Problem[] = [];
  const complain = (line: number | null, message: string, fix: string): void => {
    problems.push({ severity: "error", path: name, line, message, fix });
  };
  const lines = splitLines(text.length > MAX_PLAN_BYTES ? "" : text.replace(/^\uFEFF/, ""));
  if (text.length > MAX_PLAN_BYTES) {
    complain(null, `The file is larger than ${MAX_PLAN_BYTES / 1_000_000} MB.`, "Shorten it.");
  }
  let end = 0;
  let source: YamlSource | null = null;
  if (lines.line(0).trimEnd() === "---") {
    end = 1;
    while (end < lines.count && !/^(?:---|\.\.\.)\s*$/.test(lines.line(end))) end += 1;
    if (end === lines.count) {
      complain(1, "The block that opens with `---` is never closed.", "Close it with a line `---`.");
    } else {
      const yaml = readYaml(lines, { from: 1, to: end });
      source = yaml.source;
      problems.push(...yaml.problems.map((problem) => ({ ...problem, path: name })));
    }
    end += 1;
  }
  const value = source?.value ?? {};
  const isMapping = typeof value === "object" && !Array.isArray(value);
  if (!isMapping)
    complain(2, "The block above the text has to be a mapping.", "Write lines such as `effort: high`.");
  const body = lines.text.slice(lines.start(end)).trim();
  if (body === "" && problems.length === 0) {
    complain(null, "The file does not say what to do.", "Write it below the `---` block.");
  }
  return {
    name,
    slug,
    fields: isMapping ? { ...value } : {},
    source,
    title: scanMarkdown(splitLines(body)).heading,
    body,
    problems,
  };
}

const DEPENDENCY_KEYS = ["dependencies", "depends_on", "blocked_by"];

function compileStages(units: readonly Unit[]): Record<string, unknown>[] {
  // A unit may be named by its file as well: `04-migrate-store` is `migrate-store`.
  const byFile = new Map<unknown, unknown>(
    units.flatMap((unit) => [
      [unit.name, idOf(unit)],
      [unit.name.replace(/\.md$/i, ""), idOf(unit)],
    ]),
  );
  const translate = (written: unknown): unknown => byFile.get(written) ?? written;
  return units.map((unit, index) => {
    const before = units[index - 1];
    const stage: Record<string, unknown> = table({
      id: idOf(unit),
      name: unit.title ?? unit.slug.replaceAll(/[-_]+/g, " "),
      description: unit.body,
      ...unit.fields,
    });
    const own = DEPENDENCY_KEYS.filter((key) => stage[key] !== undefined);
    for (const key of own) {
      const value = stage[key];
      stage[key] = Array.isArray(value) ? value.map(translate) : translate(value);
    }
    if (own.length === 0 && before) stage.dependencies = [idOf(before)];
    return stage;
  });
}

function idOf({ fields, slug }: Unit): unknown {
  return fields.id ?? toId(slug) ?? slug;
}

/** Paths of the compiled plan, `stages[3].effort`, as the person knows them: `04-store.md: effort`. */
function locate(at: Path, units: readonly Unit[]): ReturnType<Locate> {
  const [, index, ...inside] = at;
  const unit = typeof index === "number" ? units[index] : undefined;
  if (!unit) return { path: formatPath(at), line: null, file: null };
  const path = inside.length === 0 ? unit.name : `${unit.name}: ${formatPath(inside)}`;
  return { path, line: unit.source ? unit.source.lineOf(inside) : 1, file: unit.name };
}

/** By line within each file, in the order of the files; what concerns no file comes first. */
function sortByFile(problems: readonly Problem[]): Problem[] {
  const number = ({ path }: Problem): number => Number.parseInt(path, 10) || 0;
  const file = ({ path }: Problem): string => path.split(": ", 1)[0] ?? "";
  return sortProblems(problems).sort(
    (a, b) => number(a) - number(b) || (file(a) < file(b) ? -1 : file(a) > file(b) ? 1 : 0),
  );
}

function noUnits(): Problem {
  return {
    severity: "error",
    path: "",
    line: null,
    message: "There is no unit file.",
    fix: "Name the files like `01-first-step.md`.",
  };
}
