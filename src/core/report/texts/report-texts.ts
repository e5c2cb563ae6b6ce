import { quote } from "../../text/quote.ts";

/** What people are told about what an agent said, or did not say, about its work. */
export const reportTexts = {
  missing: (parts: readonly string[]) =>
    `The agent ended without ${parts.map((part) => `"${part}"`).join(" and ")}, also when it was asked again.`,
  putBack: (agent: string) =>
    `${quote(agent)} may only read and changed files all the same; they were put back.`,
};
