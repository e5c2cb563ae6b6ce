import type { Skill } from "../roster/roster.ts";
import type { Part } from "./fit-parts.ts";

/** A part of its own for each skill, so that a prompt that is too long loses one after the other, and its protocols first. */
export function skillPart({ name, body, protocols }: Skill, priority: number): Part {
  const texts = [body, ...protocols.map((protocol) => `### ${protocol.name}\n\n${protocol.body}`)];
  return {
    name: "the skills",
    priority,
    lead: `## Skill: ${name}`,
    text: texts.join("\n\n"),
    keep: "start",
    language: null,
  };
}
