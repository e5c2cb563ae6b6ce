import { describe, expect, it } from "vitest";
import { readReply, readShown } from "../../../../../src/core/report/github/run/shelved.ts";

describe("what is remembered of things said", () => {
  it("is read back as it was written", () => {
    const reply = { ok: true, text: "Paused." };
    expect(readReply(JSON.stringify(reply))).toEqual(reply);
    for (const shown of [
      { id: 7, text: "a" },
      { id: null, text: "" },
    ])
      expect(readShown(JSON.stringify(shown))).toEqual(shown);
  });

  it.each([null, "", "{", "null", "[]", '"text"', "7", '{"text":7}', '{"ok":"yes","id":"7","text":"a"}'])(
    "counts as forgotten when it is %j",
    (json) => {
      expect(readReply(json)).toBeNull();
      expect(readShown(json)).toBeNull();
    },
  );
});
