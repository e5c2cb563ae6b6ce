import * as z from "zod";
import type { Problem } from "../plan/problem.ts";
import { plainLines } from "../text/escape-text.ts";
import { descriptionField, readFrontMatter } from "./read-front-matter.ts";
import { SKILL_NAMES, type Skill } from "./roster.ts";

/** The files of one skill: `SKILL.md`, and by name what lies in `protocols/`. */
export type SkillFiles = {
  readonly text: string;
  readonly protocols: readonly { readonly fileName: string; readonly text: string }[];
};

export type ParsedSkill = { readonly skill: Skill | null; readonly problems: readonly Problem[] };

const MAX_PROTOCOLS = 8;
const MAX_PROTOCOL_CHARS = 12_000;

const skillSchema = z.strictObject(
  {
    name: z.enum(SKILL_NAMES, { error: `must be one of ${SKILL_NAMES.join(", ")}` }),
    description: descriptionField,
  },
  { error: "must be a mapping" },
);

const EXAMPLES = {
  name: "name: validation",
  description: "description: How to find and run what proves a change.",
};

/** `folderName` is the name of the folder alone, such as `validation`. */
export function parseSkill({ text, protocols }: SkillFiles, folderName: string): ParsedSkill {
  const { fields, body, reporter, problems } = readFrontMatter(text, skillSchema, { examples: EXAMPLES });
  if (fields && fields.name !== folderName)
    reporter.error(
      ["name"],
      `The skill is called \`${fields.name}\`, but its folder ${folderName}.`,
      "Give both the same name.",
    );
  const found = [...problems(), ...protocolProblems(protocols)];
  if (!fields || found.length > 0) return { skill: null, problems: found };
  return {
    skill: {
      name: fields.name,
      description: fields.description.replace(/\s+/g, " ").trim(),
      body,
      protocols: protocols
        .map((one) => ({
          name: one.fileName.replace(/\.md$/, ""),
          body: plainLines(one.text.replace(/^\uFEFF/, "")).trim(),
        }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    },
    problems: [],
  };
}

function protocolProblems(protocols: SkillFiles["protocols"]): Problem[] {
  const problem = (path: string, message: string, fix: string): Problem => ({
    severity: "error",
    path,
    line: null,
    message,
    fix,
  });
  if (protocols.length > MAX_PROTOCOLS)
    return [
      problem(
        "protocols",
        `There are ${protocols.length} protocols; ${MAX_PROTOCOLS} are the most.`,
        "Join some of them.",
      ),
    ];
  return protocols.flatMap(({ fileName, text }) => {
    const path = `protocols/${fileName}`;
    if (text.trim() === "") return [problem(path, "The protocol is empty.", "Write it, or remove the file.")];
    return text.length > MAX_PROTOCOL_CHARS
      ? [
          problem(
            path,
            `The protocol has ${text.length} characters; ${MAX_PROTOCOL_CHARS} are the most.`,
            "Shorten it.",
          ),
        ]
      : [];
  });
}
