import { Composer, type CST, Lexer, type Node, Parser } from "yaml";
import { composePlainYaml } from "./compose-plain-yaml.ts";

/**
 * The `yaml` package, driven token by token so that hostile text is stopped early: nesting and tokens are counted while
 * they are read, and composing ends at the hundredth error. `parseDocument` alone takes minutes for 5 MB of commas,
 * nearly all of it spent on a stack trace per error, and it compares every key of a mapping with every other.
 */
export type Fault = { readonly offset: number; readonly code: string; readonly message: string };

export type ComposedYaml = { readonly contents: Node | null; readonly faults: readonly Fault[] };

export const MAX_DEPTH = 64;
const MAX_TOKENS = 800_000;
export const MAX_FAULTS = 100;

export function composeYaml(text: string): ComposedYaml {
  const plain = composePlainYaml(text);
  return plain ? { contents: plain, faults: [] } : composeAnyYaml(text);
}

export function composeAnyYaml(text: string): ComposedYaml {
  const faults: Fault[] = [];
  const note = createNote(faults);
  const composer = new Composer({ schema: "core", uniqueKeys: false });
  // The composer keeps its errors in this field; there is no option to receive them one by one.
  Object.assign(composer, {
    onError: (source: unknown, code: string, message: string) => note(offsetOf(source), code, message),
  });
  let contents: Node | null = null;
  let documents = 0;
  try {
    for (const document of composer.compose(readTokens(text, note), true, text.length)) {
      documents += 1;
      if (documents === 1) contents = document.contents;
      else if (document.contents) note(document.range[0], "MULTIPLE_DOCS", "a second document begins");
    }
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return { contents: null, faults };
  }
  return { contents, faults };
}

class Stop extends Error {}

type Note = (offset: number, code: string, message: string) => void;

function createNote(faults: Fault[]): Note {
  let stopped = false;
  return (offset, code, message) => {
    // The composer takes what is thrown inside a collection for an error of its own and reports it here again.
    if (stopped) throw new Stop();
    faults.push({ offset, code, message });
    stopped = faults.length >= MAX_FAULTS || code === "TOO_DEEP" || code === "TOO_LONG";
    if (stopped) throw new Stop();
  };
}

function* readTokens(text: string, note: Note): Generator<CST.Token, void> {
  const parser = new Parser();
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    count += 1;
    if (count > MAX_TOKENS) note(parser.offset, "TOO_LONG", "the plan has too many parts");
    yield* withoutErrors(parser.next(lexeme), note);
    if (parser.stack.length > MAX_DEPTH) note(parser.offset, "TOO_DEEP", "this is nested too deep");
  }
  yield* withoutErrors(parser.end(), note);
}

function* withoutErrors(tokens: Iterable<CST.Token>, note: Note): Generator<CST.Token, void> {
  for (const token of tokens) {
    if (token.type === "error") note(token.offset, "UNEXPECTED_TOKEN", token.message);
    else yield token;
  }
}

function offsetOf(source: unknown): number {
  if (typeof source === "number") return source;
  if (Array.isArray(source)) return Number(source[0] ?? 0);
  if (typeof source === "object" && source !== null && "offset" in source) return Number(source.offset);
  return 0;
}
