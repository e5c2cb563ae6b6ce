const KEY = Symbol.for("loom.tests.once");

/** Projects have set-ups of their own, each with its own copy of the modules; what all of them share happens once. */
export function once<T>(name: string, make: () => T): T {
  const shared = globalThis as { [KEY]?: Map<string, unknown> };
  shared[KEY] ??= new Map();
  if (!shared[KEY].has(name)) shared[KEY].set(name, make());
  return shared[KEY].get(name) as T;
}
