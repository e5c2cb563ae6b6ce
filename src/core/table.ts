/**
 * A table whose only keys are those written into it. A literal also answers to `constructor`, `toString` and whatever
 * else objects inherit, so a word from outside that is looked up in one finds a function where it should find nothing;
 * and `__proto__`, written into one, changes what it inherits. A `Map` does as well where the keys come from outside
 * only. Rejected: a check before each lookup, which the next lookup forgets.
 */
export function table<V>(entries: Readonly<Record<string, V>> = {}): Record<string, V> {
  return Object.assign(Object.create(null), entries);
}

/** The same for an object that was made elsewhere, such as what JSON was parsed into. */
export function ownValue<V>(of: Readonly<Record<string, V>>, name: string): V | undefined {
  return Object.hasOwn(of, name) ? of[name] : undefined;
}
