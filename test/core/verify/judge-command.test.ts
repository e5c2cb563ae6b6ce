import { describe, expect, it } from "vitest";
import { mustExitZero } from "../../../src/core/verify/criteria.ts";
import { type CommandConduct, judgeCommand } from "../../../src/core/verify/judge-command.ts";

const check = mustExitZero("npm test", 60);
const well: CommandConduct = {
  exitCode: 0,
  signal: null,
  timedOut: false,
  printed: new Set(),
  stderrBlank: true,
};

describe("judgeCommand", () => {
  it("has nothing to say about a command that did as asked", () => {
    expect(judgeCommand(check, well)).toEqual([]);
    expect(judgeCommand({ ...check, exitCode: 3 }, { ...well, exitCode: 3, stderrBlank: false })).toEqual([]);
  });

  it("names all that is wrong at once", () => {
    const strict = { ...check, stdoutContains: ["ready"], stdoutNotContains: ["ERROR"], stderrEmpty: true };
    expect(
      judgeCommand(strict, { ...well, exitCode: 2, printed: new Set(["ERROR"]), stderrBlank: false }),
    ).toMatchInlineSnapshot(`
      [
        "exited with 2 (expected 0)",
        "did not print \`ready\`",
        "printed \`ERROR\`, which it must not",
        "wrote to standard error, which it must not",
      ]
    `);
  });

  it("says nothing about the output of a command that was stopped", () => {
    const strict = { ...check, stdoutContains: ["ready"] };
    expect(judgeCommand(strict, { ...well, exitCode: null, signal: "SIGKILL", timedOut: true })).toEqual([
      "did not end within 60 seconds",
    ]);
    expect(judgeCommand(strict, { ...well, exitCode: null, signal: "SIGSEGV" })).toEqual([
      "was ended by SIGSEGV",
    ]);
  });
});
