import * as z from "zod";
import { isId } from "../ids.ts";
import {
  type AgentProfile,
  CAPABILITIES,
  type Capability,
  TOOL_NAMES,
  type ToolName,
} from "../plan/agent-profile.ts";
import type { Problem } from "../plan/problem.ts";
import { count, filled } from "../plan/schema-parts.ts";
import { descriptionField, readFrontMatter } from "./read-front-matter.ts";
import { SKILL_NAMES } from "./roster.ts";

export type ParsedAgent = {
  /** null when there is any problem. */
  readonly profile: AgentProfile | null;
  readonly problems: readonly Problem[];
};

const WEEK_MINS = 7 * 24 * 60;

const oneOf = <T extends readonly [string, ...string[]]>(words: T) =>
  z.enum(words, { error: `must be one of ${words.join(", ")}` });

const agentSchema = z.strictObject(
  {
    name: filled.refine(isId, { error: "must be a name of small letters, digits and dashes" }),
    description: descriptionField,
    tools: z
      .array(oneOf(TOOL_NAMES), { error: "must be a list" })
      .min(1, { error: "must name at least one tool" }),
    capability: oneOf(CAPABILITIES),
    temperature: z
      .number({ error: "must be a number" })
      .min(0, { error: "must be at least 0" })
      .max(2, { error: "must be at most 2" }),
    max_turns: count(1, 10_000),
    timeout_mins: count(1, WEEK_MINS),
    skills: z.array(oneOf(SKILL_NAMES), { error: "must be a list" }).optional(),
  },
  { error: "must be a mapping" },
);

const EXAMPLES = {
  name: "name: coder",
  description: "description: Writes features in code that is there already.",
  tools: "tools: [read, search, write, shell]",
  capability: "capability: full",
  temperature: "temperature: 0.2",
  max_turns: "max_turns: 200",
  timeout_mins: "timeout_mins: 240",
  skills: "skills: [validation]",
};

/** `fileName` is the name of the file alone, such as `coder.md`. */
export function parseAgent(text: string, fileName: string): ParsedAgent {
  const { fields, body, reporter, problems } = readFrontMatter(text, agentSchema, { examples: EXAMPLES });
  if (fields) {
    const expected = fileName.replace(/\.md$/, "");
    if (fields.name !== expected)
      reporter.error(
        ["name"],
        `The agent is called \`${fields.name}\`, but its file ${fileName}.`,
        "Give both the same name.",
      );
    const capability = capabilityOf(fields.tools);
    if (fields.capability !== capability)
      reporter.error(
        ["capability"],
        `With these tools the agent is \`${capability}\`, not \`${fields.capability}\`.`,
        `Write \`capability: ${capability}\`, or name other tools.`,
      );
  }
  const found = problems();
  if (!fields || found.length > 0) return { profile: null, problems: found };
  return {
    profile: {
      name: fields.name,
      description: fields.description.replace(/\s+/g, " ").trim(),
      tools: TOOL_NAMES.filter((tool) => fields.tools.includes(tool)),
      capability: fields.capability,
      temperature: fields.temperature,
      maxTurns: fields.max_turns,
      timeoutMins: fields.timeout_mins,
      skills: [...new Set(fields.skills ?? [])],
      body,
    },
    problems: [],
  };
}

export function capabilityOf(tools: readonly ToolName[]): Capability {
  const [writes, runs] = [tools.includes("write"), tools.includes("shell")];
  if (writes) return runs ? "full" : "read-write";
  return runs ? "read-shell" : "read-only";
}
