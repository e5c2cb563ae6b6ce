import { UserError } from "../../core/errors.ts";

/** Reads many files of a person's; all that can't be used are told at once, not one with every start. */
export type Gathering = {
  /** null: it can't be used, which `assertNone` will tell. */
  attempt<T>(read: () => T): T | null;
  assertNone(): void;
};

export function gatherProblems(): Gathering {
  const problems: UserError[] = [];
  return {
    attempt(read) {
      try {
        return read();
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        problems.push(error);
        return null;
      }
    },
    assertNone() {
      const [first, second] = problems;
      if (first === undefined) return;
      if (second === undefined) throw first;
      const lines = problems.map(({ message, next }) => (next === null ? message : `${message} ${next}`));
      throw new UserError(lines.join("\n"), { exitCode: first.exitCode, cause: first });
    },
  };
}
