import { notFound, Refusal } from "../model/refusal.ts";
import { ownValue } from "../table.ts";
import type { Call } from "./call.ts";

type Body = Readonly<Record<string, unknown>>;

/** Reads what came in the way GitHub does: wrong types and missing fields are a 422 that names the field. */
export function textField(body: Body, name: string): string {
  const value = ownValue(body, name);
  if (value === undefined || value === null) throw invalidRequest(`"${name}" wasn't supplied.`);
  if (typeof value !== "string") throw wrongType(name, value, "a string");
  return value;
}

export function optionalText(body: Body, name: string): string | undefined {
  return (ownValue(body, name) ?? null) === null ? undefined : textField(body, name);
}

export function optionalFlag(body: Body, name: string): boolean | undefined {
  const value = ownValue(body, name);
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "boolean") throw wrongType(name, value, "a boolean");
  return value;
}

export function oneOf<T extends string>(body: Body, name: string, choices: readonly T[]): T | undefined {
  const value = optionalText(body, name);
  if (value === undefined) return undefined;
  const found = choices.find((choice) => choice === value);
  if (found === undefined)
    throw invalidRequest(`${value} is not a possible value. Must be one of: ${choices.join(", ")}.`);
  return found;
}

export function numberField(body: Body, name: string): number | undefined {
  const value = ownValue(body, name);
  if (value === undefined || value === null) return undefined;
  if (!Number.isInteger(value)) throw wrongType(name, value, "an integer");
  return value as number;
}

export function numberList(body: Body, name: string): number[] | undefined {
  const value = ownValue(body, name);
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || !value.every((one) => Number.isInteger(one))) {
    throw wrongType(name, value, "an array of integers");
  }
  return value as number[];
}

export function objectField(body: Body, name: string): Body | undefined {
  const value = ownValue(body, name);
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "object" || Array.isArray(value)) throw wrongType(name, value, "an object");
  return value as Body;
}

export function listField(body: Body, name: string): unknown[] | undefined {
  const value = ownValue(body, name);
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw wrongType(name, value, "an array");
  return value;
}

export function instantField(body: Body, name: string): number | undefined {
  const value = optionalText(body, name);
  if (value === undefined) return undefined;
  const at = Date.parse(value);
  if (Number.isNaN(at)) throw wrongType(name, value, "a date-time");
  return at;
}

/** A number in the path; anything else leads nowhere. */
export function numberParam(call: Call, name: string): number {
  const value = ownValue(call.params, name) ?? "";
  if (!/^\d+$/.test(value)) throw notFound();
  return Number(value);
}

export function textParam(call: Call, name: string): string {
  const value = ownValue(call.params, name);
  if (value === undefined) throw notFound();
  return value;
}

export function invalidRequest(detail: string): Refusal {
  return new Refusal(422, `Invalid request.\n\n${detail}`);
}

function wrongType(name: string, value: unknown, wanted: string): Refusal {
  return invalidRequest(`For 'properties/${name}', ${JSON.stringify(value)} is not ${wanted}.`);
}
