import * as z from "zod";

/** What the agents of dependent stages should know, in the words of the agent that did this one. */
export const downstreamContextSchema = z.object({
  keyInterfaces: z.array(z.string()),
  patterns: z.array(z.string()),
  integrationPoints: z.array(z.string()),
  assumptions: z.array(z.string()),
  warnings: z.array(z.string()),
  /** What belongs to none of these. */
  other: z.string(),
});
export type DownstreamContext = z.infer<typeof downstreamContextSchema>;

export const FIELD_TITLES: readonly (readonly [keyof Omit<DownstreamContext, "other">, string])[] = [
  ["keyInterfaces", "Key Interfaces Introduced"],
  ["patterns", "Patterns Established"],
  ["integrationPoints", "Integration Points"],
  ["assumptions", "Assumptions"],
  ["warnings", "Warnings"],
];

/** As the agent would have written it; fields that say nothing are left out. */
export function renderDownstream(context: DownstreamContext): string {
  const fields = FIELD_TITLES.flatMap(([field, title]) => {
    const items = context[field];
    if (items.length === 0) return [];
    return [`${title}:\n${items.map((item) => `- ${item.replaceAll("\n", "\n  ")}`).join("\n")}`];
  });
  return [...fields, ...(context.other === "" ? [] : [context.other])].join("\n");
}
