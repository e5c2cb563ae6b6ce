export type Redact = (text: string) => string;

const SHORTEST = 8;
const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH)$/i;

/**
 * Takes secrets out by their values, as they are, in base64 and as part of an address, whatever printed them. Values are
 * taken from variables whose names say that they are secret; very short ones would blacken ordinary words.
 */
export function createRedactor(env: Readonly<Record<string, string | undefined>>): Redact {
  const values = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value.length >= SHORTEST && SECRET_NAME.test(name) ? [value] : [],
  );
  const forms = new Set(values.flatMap((value) => [value, encodeURIComponent(value), ...base64Forms(value)]));
  // The longest first: a secret that contains another one has to go as a whole.
  const ordered = [...forms].sort((a, b) => b.length - a.length);
  if (ordered.length === 0) return (text) => text;
  return (text) => ordered.reduce((rest, form) => rest.replaceAll(form, "[secret]"), text);
}

/** Depending on what stands before it, a text has three forms in base64; the first and last letters depend on neighbours. */
function base64Forms(value: string): string[] {
  const bytes = new TextEncoder().encode(value);
  return [0, 1, 2].map((shift) => {
    const padded = new Uint8Array(shift + bytes.length);
    padded.set(bytes, shift);
    const text = btoa(String.fromCharCode(...padded)).replace(/=+$/, "");
    const first = shift === 0 ? 0 : shift + 1;
    const whole = Math.floor(((shift + bytes.length) * 8) / 6);
    return text.slice(first, whole);
  });
}

/** Every text inside a JSON value. */
export function redactAll<T>(value: T, redact: Redact): T {
  const mapped = map(value, redact);
  return mapped as T;
}

function map(value: unknown, redact: Redact): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((one) => map(one, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, map(one, redact)]));
}
