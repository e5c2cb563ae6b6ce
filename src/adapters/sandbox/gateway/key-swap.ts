import { UserError } from "../../../core/errors.ts";
import type { ModelEndpoint } from "../../../ports/sandbox.ts";

/** Shorter ones would tear ordinary words out of the answers. */
const SHORTEST = 8;

export type KeySwap = {
  /** On the way out: the key in place of the placeholder, in a header that keys travel by. */
  inHeader(name: string, value: string): string;
  /** The same in a path with its query, for parameters that keys travel by. */
  inQuery(path: string): string;
  /** On the way back: the placeholder in place of the key. */
  hide(text: string): string;
  /** All that has to be hidden in the bytes of an answer. */
  readonly secrets: readonly string[];
};

/** `Authorization`, `x-api-key`, `x-goog-api-key`, `api-key`, `x-auth-token` */
const KEY_HEADER = /(?:authorization|api-?key|(?:auth|access)-?token)$/i;
const KEY_PARAMETER = /^(?:key|token|api[-_]?key|(?:auth|access)[-_]?token)$/i;

/**
 * The key and its placeholder, for each direction. Whoever answers may repeat what was sent, as it is or as part of an
 * address or of a JSON text, so all these forms are hidden from the sandbox. What is repeated cut off, or in another form, can't
 * be found; so the key goes only where keys belong, alone or behind the name of a scheme, and not into the name of a project
 * or an address that a provider would cite in its complaint.
 */
export function createKeySwap({ placeholder, key }: Pick<ModelEndpoint, "placeholder" | "key">): KeySwap {
  if (placeholder.length < SHORTEST)
    throw new UserError("The placeholder of a key needs at least 8 characters.");
  if (!/^[\x20-\x7e]*$/.test(key)) {
    throw new UserError("The key of the model holds characters that can't be sent.", {
      next: "Set it again, without line ends and quotes.",
    });
  }
  const forms = new Set([key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1)]);
  const secrets = key.length < SHORTEST ? [] : [...forms].sort((a, b) => b.length - a.length);
  return {
    secrets,
    inHeader(name, value) {
      const [, scheme = "", given] = /^((?:[\w-]+ +)?)(.+)$/.exec(value) ?? [];
      return KEY_HEADER.test(name) && given === placeholder ? `${scheme}${key}` : value;
    },
    inQuery(path) {
      const start = path.indexOf("?");
      if (start < 0) return path;
      const placeholders = [placeholder, encodeURIComponent(placeholder)];
      const parts = path.slice(start + 1).split("&");
      const swapped = parts.map((part) => {
        const [, name = "", value = ""] = /^([^=]*)=(.*)$/s.exec(part) ?? [];
        const isKey = KEY_PARAMETER.test(name) && placeholders.includes(value);
        return isKey ? `${name}=${encodeURIComponent(key)}` : part;
      });
      return `${path.slice(0, start)}?${swapped.join("&")}`;
    },
    hide: (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, () => placeholder), text),
  };
}
