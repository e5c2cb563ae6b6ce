/** What people are told about what an agent said, or did not say, about its work. */
export const reportTexts = {
  missing: (parts: readonly string[]) =>
    `The agent ended without ${parts.map((part) => `"${part}"`).join(" and ")}, also when it was asked again.`,
};
