/** What every object answers to although nobody wrote it there. */
export const INHERITED_KEYS = [
  "constructor",
  "__proto__",
  "prototype",
  "toString",
  "toLocaleString",
  "valueOf",
  "hasOwnProperty",
  "isPrototypeOf",
  "propertyIsEnumerable",
  "__defineGetter__",
  "__defineSetter__",
  "__lookupGetter__",
] as const;

/** Paths in a result at which something stands that was inherited or made by a prototype: nothing does, in data. */
export function strayValues(value: unknown, path = ""): string[] {
  if (typeof value === "function") return [path];
  if (typeof value !== "object" || value === null) return [];
  const parent: unknown = Object.getPrototypeOf(value);
  if (value instanceof Map || value instanceof Set)
    return [...value].flatMap((one, index) => strayValues(one, `${path}<${index}>`));
  if (parent !== null && parent !== Object.prototype && !Array.isArray(value) && !(value instanceof Error))
    return [`${path} inherits from something`];
  return Object.entries(value).flatMap(([key, one]) => strayValues(one, `${path}.${key}`));
}
