import { programName } from "./shell/program-name.ts";
import type { ShellCommand } from "./shell/shell-script.ts";

const NO_FILE = /^(?:\/dev\/(?:null|stdout|stderr|tty|fd\/.*)|\/proc\/self\/fd\/.*|\d+-?|-)$/s;

/** The files that a command's output goes to, by redirection or `tee`; unknown names count as files. */
export function outputFiles({ words, redirections }: ShellCommand): string[] {
  const redirected = redirections.flatMap((one) => (one.kind === "output" ? [one.to] : []));
  const isTee = programName(words[0]) === "tee";
  const copied = isTee ? words.slice(1).flatMap(({ text }) => (/^-./.test(text) ? [] : [text])) : [];
  return [...redirected, ...copied].filter((file) => !NO_FILE.test(file));
}
