import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { replaceStream } from "../../../../../src/adapters/sandbox/gateway/http/replace-stream.ts";

async function replace(chunks: readonly string[], needles: readonly string[], by: string): Promise<string> {
  const stream = replaceStream(needles, by);
  const parts: Buffer[] = [];
  stream.on("data", (part: Buffer) => parts.push(part));
  for (const chunk of chunks) stream.write(Buffer.from(chunk));
  stream.end();
  await new Promise((resolve) => stream.on("end", resolve));
  return Buffer.concat(parts).toString();
}

describe("replacing in a stream", () => {
  it("gives the same as replacing in the whole text, wherever the chunks are torn", async () => {
    const pieces = fc.array(fc.constantFrom("a", "b", "ab", "aab", "aabaab", "c", "aa"), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(pieces, async (chunks) => {
        expect(await replace(chunks, ["aabaabc"], "X")).toBe(chunks.join("").replaceAll("aabaabc", "X"));
      }),
    );
  });

  it("finds several needles, the one that comes first first", async () => {
    expect(await replace(["one tw", "o three one"], ["two", "one"], "*")).toBe("* * three *");
  });

  it("lets through what only begins like a needle", async () => {
    expect(await replace(["sec", "re"], ["secret"], "*")).toBe("secre");
  });

  it("changes nothing without needles", async () => {
    expect(await replace(["a", "b"], [""], "*")).toBe("ab");
  });
});
