import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { markdownBlock, markdownText, plainLines, plainText } from "../../../src/core/text/escape-text.ts";
import { quickly } from "../../support/quickly.ts";

describe("plain text", () => {
  it.each([
    ["colours", "\u001b[1;31mred\u001b[0m", "red"],
    ["cursor movements", "a\u001b[2Jb\u001b[10;10Hc", "abc"],
    ["window titles", "\u001b]0;pwned\u0007title", "title"],
    ["window titles ended by ST", "\u001b]2;pwned\u001b\\title", "title"],
    ["hyperlinks", "\u001b]8;;http://x\u001b\\click\u001b]8;;\u001b\\", "click"],
    ["device control strings", "\u001bP1$r0m\u001b\\x", "x"],
    ["commands in their 8-bit form", "\u009b31mred\u009d0;pwned\u009cx", "redx"],
    ["an introducer that nothing ends, and only that", "\u001b]0;still here", "0;still here"],
    ["two-character escapes", "\u001bcreset", "reset"],
    ["carriage returns that overwrite", "ok\rFAIL", "ok FAIL"],
    ["line breaks of all kinds", "a\nb\r\nc\u2028d\u0085e", "a b c d e"],
    ["backspaces and bells", "a\bb\u0007c", "abc"],
    ["reading direction overrides", "user\u202egnp.exe\u2066x", "usergnp.exex"],
    ["characters without a width", "a\u200bb\u200dc\ufeffd\u{e0041}", "abcd"],
    ["halves of characters", "a\ud83db", "a\ufffdb"],
  ])("loses %s", (_what, text, plain) => {
    expect(plainText(text)).toBe(plain);
  });

  it("keeps letters of all scripts, emoji and a few marks", () => {
    expect(plainText("Zoë 解析器 🚀 ❤\ufe0f नमस्ते")).toBe("Zoë 解析器 🚀 ❤\ufe0f नमस्ते");
  });

  it.each([
    ...["\u034f", "\u115f", "\u1160", "\u17b4", "\u2800", "\u3164", "\uffa0", "\ufff9", "\ufffb"],
    ...["\u{e0100}", "\u{e01ef}", "\u{1d173}", "\u{1bca0}", "\ufe00"],
  ])("leaves out what nobody can see: %j", (letter) => {
    expect(plainText(`a${letter}b`)).toBe("ab");
  });

  it("keeps no more than three marks on one letter", () => {
    expect(plainText(`z${"\u0301".repeat(500)}!`)).toBe("z\u0301\u0301\u0301!");
  });

  it("keeps line breaks and tabs where asked to", () => {
    expect(plainLines("a\tb\r\n\u001b[1mc\u001b[0m\n")).toBe("a\tb\nc\n");
  });

  it("never holds a control character, whatever came in", () => {
    const hostile = fc.string({
      unit: fc.constantFrom(
        "\u001b",
        "]",
        "[",
        "P",
        "\u009d",
        "\u009b",
        "\u0007",
        "0",
        "m",
        "\\",
        "\n",
        "\u202e",
      ),
    });
    fc.assert(
      fc.property(hostile, (text) => {
        expect(plainText(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      }),
    );
  });

  it.each(["\u001b]", "\u009d", "\u001b[", "`", "\u001b]a", "\u0301"])(
    "takes linear time for a megabyte of %j",
    (unit) => {
      const long = unit.repeat(1_000_000 / unit.length);
      quickly(5_000, () => plainText(long));
      quickly(5_000, () => markdownBlock(long));
    },
  );
});

describe("text in Markdown", () => {
  it("stands for itself, in a table cell too", () => {
    expect(markdownText("a|b `rm` *x* _y_ [l](u) <b> & \\ ~z~\n# no")).toBe(
      "a\\|b \\`rm\\` \\*x\\* \\_y\\_ \\[l\\](u) \\<b\\> &amp; \\\\ \\~z\\~ # no",
    );
  });

  it("can't close the code block it is in", () => {
    expect(markdownBlock("before\n````\n# out\n")).toBe("`````text\nbefore\n````\n# out\n`````");
  });
});
