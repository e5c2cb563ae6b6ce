import { describe, expect, it } from "vitest";
import { type Line, type ReadLinesOptions, readLines } from "../../../src/adapters/harness/read-lines.ts";
import type { OutputChunk } from "../../../src/ports/process-supervisor.ts";

type Piece = string | Buffer | { readonly stderr: string };

async function* output(pieces: readonly Piece[]): AsyncGenerator<OutputChunk> {
  for (const piece of pieces) {
    if (typeof piece === "string" || Buffer.isBuffer(piece))
      yield { stream: "stdout", data: Buffer.from(piece) };
    else yield { stream: "stderr", data: Buffer.from(piece.stderr) };
  }
}

async function read(pieces: readonly Piece[], options: ReadLinesOptions = {}): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const line of readLines(output(pieces), options)) lines.push(line);
  return lines;
}

async function texts(pieces: readonly Piece[], options: ReadLinesOptions = {}): Promise<string[]> {
  return (await read(pieces, options)).map((line) => line.text);
}

describe("readLines", () => {
  it("puts lines together from chunks of any size", async () => {
    const text = 'one\n{"type":"usage"}\n\nlätzte 🙂';
    const expected = ["one", '{"type":"usage"}', "", "lätzte 🙂"];
    expect(await texts([text])).toEqual(expected);
    expect(await texts(Array.from(Buffer.from(text), (byte) => Buffer.from([byte])))).toEqual(expected);
  });

  it("keeps the streams apart", async () => {
    const lines = await read(["out", { stderr: "err\n" }, "put\n"]);
    expect(lines.map(({ stream, text }) => `${stream}: ${text}`)).toEqual(["stderr: err", "stdout: output"]);
  });

  it("takes a carriage return with and without a line feed as the end of a line", async () => {
    expect(await texts(["a\r\nb\rc\r", "\nd\r", "e"])).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("hands on the last line without its end", async () => {
    expect(await texts(["half"])).toEqual(["half"]);
    expect(await texts(["whole\n"])).toEqual(["whole"]);
  });

  it("cuts a line of ten megabytes and counts what it left out", async () => {
    const chunk = "x".repeat(65_536);
    const lines = await read([...Array.from({ length: 160 }, () => chunk), "\nnext\n"], {
      maxLineBytes: 1000,
    });
    expect(lines).toEqual([
      { stream: "stdout", text: "x".repeat(1000), cutBytes: 160 * 65_536 - 1000 },
      { stream: "stdout", text: "next", cutBytes: 0 },
    ]);
  });

  it("does not cut a character in two", async () => {
    expect(await read(["aé🙂b\n"], { maxLineBytes: 5 })).toEqual([
      { stream: "stdout", text: "aé", cutBytes: 5 },
    ]);
  });

  it("replaces bytes that are no text", async () => {
    expect(await texts([Buffer.from([0x61, 0xff, 0xfe, 0x62, 0x0a])])).toEqual(["a\ufffd\ufffdb"]);
  });

  it("shows a row of dots while it grows", async () => {
    let time = 0;
    const now = () => {
      time += 2_000;
      return time;
    };
    expect(await texts([".", ".", ".", ".", ".", ".\n"], { now })).toEqual(["...", "..."]);
  });

  it("does not show half a character of a line that goes on", async () => {
    let time = 0;
    const now = () => {
      time += 10_000;
      return time;
    };
    const [first, second] = [Buffer.from("█").subarray(0, 2), Buffer.from("█").subarray(2)];
    expect(await texts(["a", first, Buffer.concat([second, Buffer.from("b\n")])], { now })).toEqual([
      "a",
      "█b",
    ]);
  });

  it("never takes apart what may become a JSON line", async () => {
    let time = 0;
    const now = () => {
      time += 10_000;
      return time;
    };
    expect(await texts(['{"type":', '"ask",', '"text":"x"}\n'], { now })).toEqual([
      '{"type":"ask","text":"x"}',
    ]);
  });
});
