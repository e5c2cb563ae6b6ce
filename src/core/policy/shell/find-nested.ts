import { programName } from "./program-name.ts";
import type { ShellCommand, ShellWord } from "./shell-script.ts";
import { RUNNERS, SHELLS, WRAPPERS, type Wrapper } from "./wrappers.ts";

/** What a command runs in its turn: words that are a command already, or a text for a shell to read. */
export type Nested =
  | { readonly kind: "words"; readonly words: readonly ShellWord[] }
  | { readonly kind: "text"; readonly text: string };

export function findNested({ words, redirections }: ShellCommand): Nested[] {
  const program = programName(words[0]);
  const rest = words.slice(1);
  if (program === null) return [];
  if (SHELLS.has(program)) return scriptOfShell(rest, redirections);
  switch (program) {
    case "eval":
      return textOf(withoutOptions(rest));
    case "watch":
      return wrapped(rest, WRAPPERS.get("watch")).flatMap((one) =>
        one.kind === "words" ? textOf(one.words) : one,
      );
    case "trap":
    case "alias":
      return withoutOptions(rest).map(({ text }) => ({ kind: "text", text: text.replace(/^[\w.-]+=/, "") }));
    case "find":
      return commandsOfFind(rest);
    case "su":
    case "runuser":
    case "script":
      return textBehind(rest, ["-c", "--command"]);
    case "env":
      return [...textBehind(rest, ["-S", "--split-string"]), ...wrapped(rest, WRAPPERS.get("env"))];
    case "flock":
      return [...textBehind(rest, ["-c", "--command"]), ...wrapped(rest, WRAPPERS.get("flock"))];
  }
  const runs = RUNNERS.get(program);
  if (runs !== undefined) {
    const at = rest.findIndex(({ text }) => !text.startsWith("-"));
    return rest[at]?.text === runs ? wordsOf(withoutOptions(rest.slice(at + 1))) : [];
  }
  return wrapped(rest, WRAPPERS.get(program));
}

function wrapped(words: readonly ShellWord[], wrapper: Wrapper | undefined): Nested[] {
  if (!wrapper) return [];
  let at = 0;
  for (; at < words.length; at += 1) {
    const text = words[at]?.text ?? "";
    if (wrapper.only.includes(text)) return [];
    if (text === "--") {
      at += 1;
      break;
    }
    if (!isOption(text)) break;
    if (takesNext(text, wrapper)) at += 1;
  }
  at += wrapper.operands;
  while (wrapper.assigns && /^[A-Za-z_]\w*=/.test(words[at]?.text ?? "")) at += 1;
  return wordsOf(words.slice(at));
}

function takesNext(option: string, { valued, longValued }: Wrapper): boolean {
  if (option.startsWith("--")) return longValued.includes(option);
  // In `-u5` the value is there already.
  const at = [...option.slice(1)].findIndex((letter) => valued.includes(letter));
  return at !== -1 && at === option.length - 2;
}

/** `bash -lc 'text'`, or what is handed to a shell that was given nothing else to run. */
function scriptOfShell(words: readonly ShellWord[], redirections: ShellCommand["redirections"]): Nested[] {
  let isText = false;
  let at = 0;
  for (; at < words.length; at += 1) {
    const text = words[at]?.text ?? "";
    if (text === "--" || text === "-") {
      at += 1;
      break;
    }
    if (!/^[-+]/.test(text)) break;
    if (/^--(?:rcfile|init-file)$/.test(text) || /^[-+][A-Za-z]*[oO]$/.test(text)) at += 1;
    if (/^-[A-Za-z]*c/.test(text)) isText = true;
  }
  const operand = words[at];
  if (operand) return isText ? [{ kind: "text", text: operand.text }] : [];
  return redirections.flatMap((one): Nested[] => {
    if (one.kind === "here-document") return [{ kind: "text", text: one.body }];
    return one.kind === "here-string" ? [{ kind: "text", text: one.text }] : [];
  });
}

/** Each `-exec` up to its `;` or `+`. */
function commandsOfFind(words: readonly ShellWord[]): Nested[] {
  const found: Nested[] = [];
  for (let at = 0; at < words.length; at += 1) {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(words[at]?.text ?? "")) continue;
    const start = at + 1;
    at = start;
    while (at < words.length && words[at]?.text !== ";" && !isEndOfBatch(words, at)) at += 1;
    found.push(...wordsOf(words.slice(start, at)));
  }
  return found;
}

/** Only behind `{}` a `+` ends the command. */
function isEndOfBatch(words: readonly ShellWord[], at: number): boolean {
  return words[at]?.text === "+" && words[at - 1]?.text === "{}";
}

function textBehind(words: readonly ShellWord[], options: readonly string[]): Nested[] {
  return words.flatMap(({ text }, at): Nested[] => {
    const option = options.find(
      (one) => text === one || text.startsWith(`${one}${one.startsWith("--") ? "=" : ""}`),
    );
    if (option === undefined) return [];
    const value = text === option ? words[at + 1]?.text : text.slice(option.length).replace(/^=/, "");
    return value === undefined ? [] : [{ kind: "text", text: value }];
  });
}

function withoutOptions(words: readonly ShellWord[]): readonly ShellWord[] {
  const at = words.findIndex(({ text }) => !isOption(text) || text === "--");
  if (at === -1) return [];
  return words.slice(words[at]?.text === "--" ? at + 1 : at);
}

function isOption(text: string): boolean {
  return text.startsWith("-") && text !== "-";
}

function wordsOf(words: readonly ShellWord[]): Nested[] {
  return words.length === 0 ? [] : [{ kind: "words", words }];
}

function textOf(words: readonly ShellWord[]): Nested[] {
  return words.length === 0 ? [] : [{ kind: "text", text: words.map(({ text }) => text).join(" ") }];
}
