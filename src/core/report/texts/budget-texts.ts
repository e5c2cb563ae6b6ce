/** What is said when the agents have cost what they were allowed to. */
export const budgetTexts = {
  spent: (usd: number): string =>
    `The budget of $${usd.toFixed(2)} is spent. Stages that run are finished; \`/loom resume\` goes on all the same.`,
};
