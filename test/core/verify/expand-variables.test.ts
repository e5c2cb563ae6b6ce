import { describe, expect, it } from "vitest";
import { expandVariables } from "../../../src/core/verify/expand-variables.ts";

const variables = {
  WORKTREE: "/trees/slot-1",
  PROJECT_ROOT: "/home/ada/my project; rm -rf ~",
  STAGE_ID: "build-api",
};
const ref = (name: string) => `\${${name}}`;

describe("expandVariables", () => {
  it("puts plain values in, also between single quotes", () => {
    expect(
      expandVariables(`ls '${ref("WORKTREE")}/a' ${ref("STAGE_ID")} ${ref("STAGE_ID")}`, variables),
    ).toBe("ls '/trees/slot-1/a' build-api build-api");
  });

  it("leaves a value that is more than a word to the shell", () => {
    const command = `cat "${ref("PROJECT_ROOT")}/README.md"`;
    expect(expandVariables(command, variables)).toBe(command);
  });

  it("leaves other names, names without braces and escaped ones to the shell", () => {
    const command = `echo $WORKTREE ${ref("HOME")} ${ref("WORKTREE:-x")} \\${ref("STAGE_ID")}`;
    expect(expandVariables(command, variables)).toBe(command);
  });

  it("reads the command once: what a value brings along is not expanded again", () => {
    const values = { ...variables, WORKTREE: ref("STAGE_ID"), PROJECT_ROOT: "/STAGE_ID" };
    expect(expandVariables(`${ref("WORKTREE")} ${ref("PROJECT_ROOT")}`, values)).toBe(
      `${ref("WORKTREE")} /STAGE_ID`,
    );
  });
});
