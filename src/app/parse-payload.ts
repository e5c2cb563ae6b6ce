const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * A payload as an object; null when it is none. Actions are part of the names that handlers are looked up by, and what is
 * no text there could throw on its way to one.
 */
export function parsePayload(bytes: Uint8Array): Readonly<Record<string, unknown>> | null {
  let payload: unknown;
  try {
    payload = JSON.parse(utf8.decode(bytes));
  } catch {
    return null;
  }
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) return null;
  const { action } = payload as { action?: unknown };
  if (action !== undefined && action !== null && typeof action !== "string") return null;
  return payload as Readonly<Record<string, unknown>>;
}
