import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { conversationsIn } from "../../../../src/adapters/harness/gemini/conversations.ts";
import { createGeminiReader } from "../../../../src/adapters/harness/gemini/read.ts";
import { aCliSpec, outLine, tellEvents } from "../cli/read-stream.ts";

const line = (event: unknown): string => JSON.stringify(event);
const init = line({
  type: "init",
  timestamp: "2026-11-16T14:00:00.000Z",
  session_id: "8dcbb2f9-38df-4205-9734-53bbe512d253",
});
const result = (parts: object): string => line({ type: "result", status: "success", ...parts });

function aReader(home: string) {
  return createGeminiReader({ spec: aCliSpec(), model: "gemini-2.5-pro", env: {}, home });
}

describe("what a gemini session used", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "loom-gemini-"));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const request = (id: string, input: number, output: number, timestamp = "2026-11-16T14:00:01.000Z") =>
    line({ id, timestamp, type: "gemini", content: "x", tokens: { input, output, thoughts: 2, cached: 10 } });

  function write(...lines: string[]): string {
    const chats = join(conversationsIn(home), "tree", "chats");
    mkdirSync(chats, { recursive: true });
    const file = join(chats, "session-2026-11-16T14-00-8dcbb2f9.jsonl");
    writeFileSync(file, lines.map((text) => `${text}\n`).join(""));
    return file;
  }

  it("is told as each request is written down, and by its sum at the end", async () => {
    const reader = aReader(home);
    reader.read(outLine(init));
    expect(await reader.look?.()).toEqual([]);
    write(request("a", 100, 5), request("a", 100, 5), request("b", 200, 7));
    expect(tellEvents((await reader.look?.()) ?? [])).toMatchInlineSnapshot(`
      [
        "usage | {"inputTokens":100,"outputTokens":7,"costUsd":null}",
        "context | 107 | 1048576",
        "usage | {"inputTokens":200,"outputTokens":9,"costUsd":null}",
        "context | 209 | 1048576",
      ]
    `);
    const stats = { input_tokens: 350, output_tokens: 12, total_tokens: 370 };
    expect(tellEvents(reader.read(outLine(result({ stats }))))).toMatchInlineSnapshot(`
      [
        "usage | {"inputTokens":50,"outputTokens":4,"costUsd":null}",
      ]
    `);
    expect(await reader.look?.()).toEqual([]);
  });

  it("leaves out what earlier sessions of the conversation used", async () => {
    const reader = aReader(home);
    reader.read(outLine(init));
    write(request("old", 900, 5, "2026-11-16T13:59:59.999Z"), request("new", 1000, 5));
    expect(tellEvents((await reader.look?.()) ?? [])).toEqual([
      'usage | {"inputTokens":1000,"outputTokens":7,"costUsd":null}',
      "context | 1007 | 1048576",
    ]);
  });

  it("waits for the rest of a line that is half written", async () => {
    const reader = aReader(home);
    reader.read(outLine(init));
    const whole = request("a", 100, 5);
    const file = write("{}");
    writeFileSync(file, whole.slice(0, 40));
    expect(await reader.look?.()).toEqual([]);
    writeFileSync(file, `${whole}\n`);
    expect(await reader.look?.()).toHaveLength(2);
  });

  it("does not follow a link that an agent put in the file's place", async () => {
    const reader = aReader(home);
    reader.read(outLine(init));
    const elsewhere = join(home, "elsewhere");
    writeFileSync(elsewhere, `${request("a", 100, 5)}\n`);
    const file = write();
    rmSync(file);
    symlinkSync(elsewhere, file);
    expect(await reader.look?.()).toEqual([]);
  });
});
