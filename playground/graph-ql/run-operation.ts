import { Refusal } from "../model/refusal.ts";
import { ownValue, table } from "../table.ts";
import type { Operation, Selection, Value } from "./parse-document.ts";

/** A type with its fields. A field that leads to other types names them by `of`. */
export type Kind<C> = { readonly name: string; readonly fields: Readonly<Record<string, Field<C>>> };

export type Field<C> = FieldOf<unknown, C>;

/** A field of a type whose values are such sources. */
export type FieldOf<S, C> = {
  readonly of?: Kind<C>;
  /** Names of its arguments; one with `!` has to be given. */
  readonly args?: readonly string[];
  resolve(source: S, args: Args, context: C): unknown;
};

/** A type, with fields that all read the same kind of source: what a field that leads to it resolves to. */
export function kindOf<S, C>(name: string, fields: Readonly<Record<string, FieldOf<S, C>>>): Kind<C> {
  return { name, fields };
}

export type Args = Readonly<Record<string, unknown>>;

export type Problem = {
  readonly type?: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: { readonly code: string };
  readonly message: string;
};

/** What of an operation the types do not know, in GitHub's words. Empty: it can be run. */
export function checkOperation<C>(operation: Operation, root: Kind<C>): Problem[] {
  const used = new Set<string>();
  const problems = checkFields(operation.fields, root, used);
  const undeclared = [...used].filter((name) => !operation.variables.includes(name));
  const unused = operation.variables.filter((name) => !used.has(name));
  return [
    ...problems,
    ...undeclared.map((name) => wrong("variableNotDefined", `Variable $${name} is used but not declared`)),
    ...unused.map((name) => wrong("variableNotUsed", `Variable $${name} is declared but not used`)),
  ];
}

function checkFields<C>(selected: readonly Selection[], kind: Kind<C>, used: Set<string>): Problem[] {
  return selected.flatMap(({ name, args, fields }) => {
    for (const value of Object.values(args)) noteVariables(value, used);
    if (name === "__typename") return [];
    const field = ownValue(kind.fields, name);
    if (!field) return [wrong("undefinedField", `Field '${name}' doesn't exist on type '${kind.name}'`)];
    const known = (field.args ?? []).map((arg) => arg.replace("!", ""));
    const needed = (field.args ?? []).filter((arg) => arg.endsWith("!")).map((arg) => arg.slice(0, -1));
    const isLeaf = field.of === undefined;
    return [
      ...Object.keys(args)
        .filter((arg) => !known.includes(arg))
        .map((arg) => wrong("argumentNotAccepted", `Field '${name}' doesn't accept argument '${arg}'`)),
      ...needed
        .filter((arg) => !Object.hasOwn(args, arg))
        .map((arg) =>
          wrong("missingRequiredArguments", `Field '${name}' is missing required arguments: ${arg}`),
        ),
      ...(isLeaf === (fields.length === 0)
        ? []
        : [wrong("selectionMismatch", `Field '${name}' ${isLeaf ? "can't" : "must"} have selections`)]),
      ...(field.of ? checkFields(fields, field.of, used) : []),
    ];
  });
}

function noteVariables(value: Value, used: Set<string>): void {
  if (value.kind === "variable") used.add(value.name);
  if (value.kind === "object") for (const inner of Object.values(value.fields)) noteVariables(inner, used);
}

function wrong(code: string, message: string): Problem {
  return { extensions: { code }, message };
}

export type Run<C> = {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: C;
  readonly problems: Problem[];
};

/** A field that is refused is null, and the reason stands in `problems`. */
export async function runFields<C>(
  selected: readonly Selection[],
  kind: Kind<C>,
  source: unknown,
  run: Run<C>,
  path: readonly (string | number)[] = [],
): Promise<Record<string, unknown>> {
  const answer: Record<string, unknown> = table();
  for (const { name, alias, args, fields } of selected) {
    const field = ownValue(kind.fields, name);
    const at = [...path, alias];
    try {
      const given = Object.fromEntries(
        Object.entries(args).map(([key, value]) => [key, givenValue(value, run)]),
      );
      const value = field ? await field.resolve(source, given, run.context) : kind.name;
      const inner = field?.of;
      if (!inner || value === null) answer[alias] = value;
      else if (!Array.isArray(value)) answer[alias] = await runFields(fields, inner, value, run, at);
      else {
        answer[alias] = await Promise.all(
          value.map((one, index) => runFields(fields, inner, one, run, [...at, index])),
        );
      }
    } catch (problem) {
      if (!(problem instanceof Refusal)) throw problem;
      answer[alias] = null;
      run.problems.push({
        type: TYPES[problem.status] ?? "UNPROCESSABLE",
        path: at,
        message: problem.message,
      });
    }
  }
  return answer;
}

const TYPES: Readonly<Record<number, string>> = { 403: "FORBIDDEN", 404: "NOT_FOUND" };

function givenValue<C>(value: Value, run: Run<C>): unknown {
  switch (value.kind) {
    case "variable":
      return ownValue(run.variables, value.name) ?? null;
    case "literal":
      return value.value;
    case "object":
      return Object.fromEntries(
        Object.entries(value.fields).map(([key, inner]) => [key, givenValue(inner, run)]),
      );
  }
}
