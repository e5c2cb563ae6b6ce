import type { StageId } from "../ids.ts";

/** What a check may refer to. Every command has them in its environment, too. */
export type CheckVariables = {
  readonly WORKTREE: string;
  readonly PROJECT_ROOT: string;
  readonly STAGE_ID: StageId;
};

const REFERENCE = /(?<!\\)\$\{(WORKTREE|PROJECT_ROOT|STAGE_ID)\}/g;
const INERT = /^[A-Za-z0-9_./-]+$/;

/**
 * Puts values in place of `${WORKTREE}`, `${PROJECT_ROOT}` and `${STAGE_ID}`, once from left to right.
 *
 * The command is shell code, so a value is only written into it when no shell would see more in it than a word; then it
 * also arrives inside single quotes. Any other value, such as a path with a space or a `;`, is left to the shell, which
 * takes it from the environment as data. `$WORKTREE` and names that are not ours stay for the shell as well.
 */
export function expandVariables(command: string, variables: CheckVariables): string {
  return command.replaceAll(REFERENCE, (reference, name: keyof CheckVariables) =>
    INERT.test(variables[name]) ? variables[name] : reference,
  );
}
