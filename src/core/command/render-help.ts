import { ALIASES, COMMANDS, mayUse, VERBS } from "./commands.ts";
import { MAX_COMMANDS } from "./parse-commands.ts";
import type { Role } from "./role.ts";

/** Help for somebody with this role: what they may use first, then what needs more. Every trigger stands in code. */
export function renderHelp(role: Role): string {
  const allowed = VERBS.filter((verb) => mayUse(verb, role));
  const others = VERBS.filter((verb) => !mayUse(verb, role));
  const parts = ["### Loom's commands"];
  if (allowed.length > 0) {
    const rows = allowed.map((verb) => {
      const { usage, description, role: least, example } = COMMANDS[verb];
      return `| \`${usage}\` | ${description} | ${least} | \`${example}\` |`;
    });
    parts.push(["| Command | What it does | Needs | Example |", "|---|---|---|---|", ...rows].join("\n"));
  }
  if (others.length > 0) {
    const names = others.map((verb) => `\`${verb}\``).join(", ");
    parts.push(`Your role in this repository is \`${role}\`. These need more: ${names}.`);
  }
  const also = Object.entries(ALIASES).map(([word, verb]) => `\`${word}\` is another word for \`${verb}\``);
  parts.push(`${also.join(", ")}.`);
  parts.push(
    `One command per line, at the start of the line, at most ${MAX_COMMANDS} in a comment. ` +
      "Code, quotes and edited comments are not read.",
  );
  return `${parts.join("\n\n")}\n`;
}
