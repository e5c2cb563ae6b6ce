/** What a stage that waits for a person wants from them, where no agent has asked. */
export const questions = {
  taken: (branch: string, reason: string): string =>
    reason === ""
      ? `A person does this stage: push to ${branch}, and Loom takes it from there.`
      : `What was pushed to ${branch} did not pass: ${reason} Push again, and Loom looks again.`,
};
