import { describe, expect, it } from "vitest";
import { isPlainLook, wordsOfCommand } from "../../../../src/core/verify/gate/words-of-command.ts";
import { quickly } from "../../../support/quickly.ts";

const paths = (text: string) => wordsOfCommand(text).map(({ path }) => path);

describe("what a text of shell mentions", () => {
  it.each([
    '[ "$(cat golden.txt)" = x ]',
    'test "$(cat golden.txt)" != x',
    "[[ $(cat golden.txt) == x ]]",
    '[ "$(cat golden.txt)" =\n x ]',
    '[ "$(cat golden.txt)"\n= x ]',
    "cat golden.txt | diff - out.txt",
  ])("holds what is read to be compared: %j", (text) => {
    expect(paths(text)).toContain("golden.txt");
    expect(isPlainLook(text)).toBe(false);
  });

  it.each(["cat golden.txt", "[ -f a ] && cat golden.txt", "test -f a; cat golden.txt | wc -l"])(
    "leaves out what is only looked at: %j",
    (text) => expect(paths(text)).not.toContain("golden.txt"),
  );

  it.each(["[", "test ", " = ", "[ a\n", "= ["])(
    "is found among nothing but %j without a standstill",
    (piece) => {
      const text = piece.repeat(80_000 / piece.length);
      quickly(1_500, () => wordsOfCommand(text));
      quickly(1_500, () => isPlainLook(text));
    },
  );
});
