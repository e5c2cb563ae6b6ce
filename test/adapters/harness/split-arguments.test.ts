import { describe, expect, it } from "vitest";
import { splitArguments } from "../../../src/adapters/harness/split-arguments.ts";
import { UserError } from "../../../src/core/errors.ts";

function split(line: string): string[] {
  return splitArguments(line, "ARGS");
}

describe("splitArguments", () => {
  it("parts words at blanks", () => {
    expect(split("")).toEqual([]);
    expect(split("  -a\t--b=c \n d ")).toEqual(["-a", "--b=c", "d"]);
  });

  it("holds together what is quoted or protected", () => {
    expect(split(`'a b' "c d" e\\ f g'h'"i" '' ""`)).toEqual(["a b", "c d", "e f", "ghi", "", ""]);
    expect(split(`"a\\"b" 'a\\b' "a\\b" "\\$x"`)).toEqual(['a"b', "a\\b", "a\\b", "$x"]);
  });

  it("expands nothing", () => {
    expect(split("$HOME `id` $(id) * ~ a;b #c")).toEqual(["$HOME", "`id`", "$(id)", "*", "~", "a;b", "#c"]);
  });

  it("takes a JSON array as it stands", () => {
    expect(split(' ["a b", "", "\\"", "*"]')).toEqual(["a b", "", '"', "*"]);
  });

  it("refuses what is malformed, and says how to write it", () => {
    const problem = (line: string) => {
      try {
        return split(line);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        expect(error.next).toContain('["--flag", "two words"]');
        return error.message;
      }
    };
    expect(problem("a 'b")).toBe("ARGS can't be split into arguments: a ' is not closed.");
    expect(problem('a "b')).toBe("ARGS can't be split into arguments: a \" is not closed.");
    expect(problem("a\\")).toBe(
      "ARGS can't be split into arguments: it ends with a backslash that protects nothing.",
    );
    expect(problem("[a]")).toBe("ARGS can't be split into arguments: it starts with [ but is not JSON.");
    expect(problem("[1]")).toBe(
      "ARGS can't be split into arguments: it starts with [ but is not a list of strings.",
    );
  });
});
