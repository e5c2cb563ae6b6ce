/** A table whose only keys are those written into it, not those that objects inherit, such as `constructor`. */
export function table<V>(entries: Readonly<Record<string, V>> = {}): Record<string, V> {
  return Object.assign(Object.create(null), entries);
}

/** The same for an object that was made elsewhere, such as what JSON was parsed into. */
export function ownValue<V>(of: Readonly<Record<string, V>>, name: string): V | undefined {
  return Object.hasOwn(of, name) ? of[name] : undefined;
}
