import type { Shape } from "./body-shape.ts";

/** Why a body may not be sent: where, and what stands there. */
export type BodyFault =
  | { readonly kind: "not-json" }
  | { readonly kind: "unknown-field"; readonly at: string }
  | { readonly kind: "twice"; readonly at: string }
  | { readonly kind: "value"; readonly at: string; readonly value: string };

export type JsonExaminer = {
  /** The next piece of the text; a fault is final. */
  take(text: string): BodyFault | null;
  /** The text is over. */
  end(): BodyFault | null;
};

type Frame = {
  readonly isObject: boolean;
  /** undefined: nothing in here is examined. */
  readonly shape: Exclude<Shape, null> | undefined;
  readonly seen: Set<string> | null;
  key: string;
};

type Expects = "value" | "value-or-end" | "key" | "key-or-end" | "colon" | "comma-or-end" | "nothing";

const MAX_DEPTH = 256;
const KEPT = 512;
const PLAIN_TOKEN = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const NOT_JSON: BodyFault = { kind: "not-json" };

/**
 * Examines a JSON text piece by piece, without keeping it. It takes nothing but JSON as the standard has it, so that whoever
 * reads the same text, however leniently, reads the same members: a comment, a second `tools`, an escaped key or an odd
 * number can't show one thing here and another there. Parsing the whole and writing it anew was rejected: it holds a
 * conversation of megabytes in memory twice and stops Loom's only thread for as long.
 *
 * `also`: what is allowed besides, as faults name it: `field`, `a[].b`, or `a[].b=value`.
 */
export function examineJson(shape: Shape, also: readonly string[] = []): JsonExaminer {
  const frames: Frame[] = [];
  let expects: Expects = "value";
  let next: Shape | undefined = shape;
  let fault: BodyFault | null = null;
  /** Inside a text or a number. */
  let within: "text" | "key" | "token" | null = null;
  let isEscaped = false;
  /** So many digits of an escaped letter are still to come. */
  let digits = 0;
  /** null: nobody asks what it says. */
  let kept: string | null = null;

  return {
    take(text) {
      for (let at = 0; at < text.length && fault === null; ) at = step(text, at);
      return fault;
    },
    end() {
      if (fault === null && within === "token") endToken();
      if (fault === null && (expects !== "nothing" || within !== null)) fault = NOT_JSON;
      return fault;
    },
  };

  function step(text: string, at: number): number {
    if (within === "text" || within === "key") return stepInText(text, at);
    const char = text.charAt(at);
    if (within === "token") {
      if (/[-+.\w]/.test(char)) {
        kept += char;
        if ((kept?.length ?? 0) > KEPT) fault = NOT_JSON;
        return at + 1;
      }
      endToken();
      return at;
    }
    if (char !== " " && char !== "\n" && char !== "\r" && char !== "\t") takeSign(char);
    return at + 1;
  }

  /** Code by code: nearly all of a conversation is texts that nobody asks about, with escapes in every line. */
  function stepInText(text: string, at: number): number {
    let to = at;
    let escaped = isEscaped;
    for (; to < text.length; to += 1) {
      const code = text.charCodeAt(to);
      if (digits > 0 ? !isDigit(code) : escaped ? !isEscape(code) : code < 0x20) {
        fault = NOT_JSON;
        return to;
      }
      if (digits > 0) digits -= 1;
      else if (escaped) {
        escaped = false;
        if (code === 0x75) digits = 4;
      } else if (code === 0x5c) escaped = true;
      else if (code === 0x22) break;
    }
    isEscaped = escaped;
    if (kept !== null && kept.length < KEPT) kept += text.slice(at, Math.min(to, at + KEPT));
    if (to < text.length) endText();
    return to + 1;
  }

  function takeSign(char: string): void {
    switch (expects) {
      case "value":
      case "value-or-end":
        if (char === "]" && expects === "value-or-end") close();
        else beginValue(char);
        return;
      case "key":
      case "key-or-end":
        if (char === "}" && expects === "key-or-end") close();
        else if (char === '"') {
          within = "key";
          kept = frames.at(-1)?.shape ? "" : null;
        } else fault = NOT_JSON;
        return;
      case "colon":
        if (char === ":") expects = "value";
        else fault = NOT_JSON;
        return;
      case "comma-or-end": {
        const isObject = frames.at(-1)?.isObject;
        if (char === ",") {
          expects = isObject ? "key" : "value";
          if (!isObject) next = itemsOf(frames.at(-1));
        } else if (char === (isObject ? "}" : "]")) close();
        else fault = NOT_JSON;
        return;
      }
      case "nothing":
        fault = NOT_JSON;
    }
  }

  function beginValue(char: string): void {
    const examined = next ?? undefined;
    if (char === "{" || char === "[") {
      const isObject = char === "{";
      if (examined && (isObject ? examined.keys : examined.items) === undefined) {
        fault = { kind: "value", at: place(), value: isObject ? "an object" : "a list" };
        return;
      }
      if (frames.length >= MAX_DEPTH) {
        fault = NOT_JSON;
        return;
      }
      const frame = {
        isObject,
        shape: examined,
        seen: examined && isObject ? new Set<string>() : null,
        key: "",
      };
      frames.push(frame);
      expects = isObject ? "key-or-end" : "value-or-end";
      if (!isObject) next = itemsOf(frame);
    } else if (char === '"') {
      within = "text";
      kept = examined?.text ? "" : null;
    } else if (/[-\w]/.test(char)) {
      within = "token";
      kept = char;
    } else fault = NOT_JSON;
  }

  function endText(): void {
    const said = kept === null ? null : meantBy(kept);
    const isKey = within === "key";
    within = null;
    kept = null;
    if (isKey) {
      expects = "colon";
      const frame = frames.at(-1);
      if (said !== null && frame?.shape) takeKey(frame, said);
      else next = null;
      return;
    }
    if (said !== null && next?.text && !next.text(said)) refuseValue(said);
    endValue();
  }

  function takeKey(frame: Frame, key: string): void {
    frame.key = key;
    const keys = frame.shape?.keys ?? {};
    if (!Object.hasOwn(keys, key) && !also.includes(place())) fault = { kind: "unknown-field", at: place() };
    else if (frame.seen?.has(key)) fault = { kind: "twice", at: place() };
    frame.seen?.add(key);
    next = Object.hasOwn(keys, key) ? (keys[key] ?? null) : null;
  }

  function refuseValue(value: string): void {
    if (!also.includes(`${place()}=${value}`)) fault = { kind: "value", at: place(), value };
  }

  function endToken(): void {
    const token = kept ?? "";
    within = null;
    kept = null;
    if (!PLAIN_TOKEN.test(token)) fault = NOT_JSON;
    else if (next?.plain && !next.plain(token)) refuseValue(token);
    endValue();
  }

  function close(): void {
    const frame = frames.pop();
    if (frame?.seen && frame.shape?.isWhole && !frame.shape.isWhole(frame.seen))
      fault = { kind: "value", at: place(), value: "an object that says too little" };
    endValue();
  }

  function endValue(): void {
    expects = frames.length === 0 ? "nothing" : "comma-or-end";
  }

  function place(): string {
    const steps = frames.map((frame) => (frame.isObject ? `.${frame.key}` : "[]"));
    return steps.join("").replace(/^\./, "");
  }
}

/** One of `"\\/bfnrtu`. */
function isEscape(code: number): boolean {
  return ESCAPES.has(code);
}

/** Of a number to the base of 16. */
function isDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}

const ESCAPES = new Set(Array.from('"\\/bfnrtu', (char) => char.charCodeAt(0)));

function itemsOf(frame: Frame | undefined): Shape {
  return frame?.shape?.items ?? null;
}

/** A key or a text as it is meant; what can't be read is like nothing that is allowed. */
function meantBy(raw: string): string {
  if (!raw.includes("\\")) return raw;
  try {
    return String(JSON.parse(`"${raw}"`));
  } catch {
    return raw;
  }
}
