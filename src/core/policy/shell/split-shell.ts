import { findNested } from "./find-nested.ts";
import { readList } from "./read-list.ts";
import { createScan, type Findings } from "./shell-scan.ts";
import type { ShellCommand, ShellScript } from "./shell-script.ts";

/** No shell is given more at once by an agent that means well, and people could not read it. */
const MAX_CHARS = 20_000;

/** `env nice sudo sh -c …` and the like. */
const MAX_WRAPPED = 12;

/** The commands of a shell text; never throws, and what can't be read is said. */
export function splitShell(text: string): ShellScript {
  if (text.length <= MAX_CHARS) return splitAnyShell(text);
  const { commands } = splitAnyShell(text.slice(0, MAX_CHARS));
  return { commands, unreadable: "too-long" };
}

/**
 * The commands of a text of any length, those that they run in their turn included: `sudo`, `xargs`, `sh -c` and their
 * like are looked through. Linear in the text: each level of wrapping reads no more than was there, and levels are
 * limited.
 */
export function splitAnyShell(text: string): ShellScript {
  const findings: Findings = { commands: [], unreadable: null };
  const start = { depth: 0, findings, readList };
  readList(createScan(text, { ...start, wrapped: 0 }), "end", "running");
  const commands: ShellCommand[] = [];
  for (let at = 0; at < findings.commands.length; at += 1) {
    const command = findings.commands[at];
    if (!command) break;
    const nested = findNested(command);
    const wrapped = command.depth + 1;
    commands.push(nested.length > 0 ? { ...command, incidental: true } : command);
    for (const inner of nested) {
      if (wrapped > MAX_WRAPPED) findings.unreadable ??= "too-deep";
      else if (inner.kind === "text")
        readList(createScan(inner.text, { ...start, wrapped }), "end", "running");
      else findings.commands.push({ ...command, words: inner.words, redirections: [], depth: wrapped });
    }
  }
  return { commands, unreadable: findings.unreadable };
}
