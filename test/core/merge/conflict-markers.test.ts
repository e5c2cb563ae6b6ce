import { describe, expect, it } from "vitest";
import { hasConflictMarkers } from "../../../src/core/merge/conflict-markers.ts";

describe("hasConflictMarkers", () => {
  it.each(["<<<<<<< HEAD\n", "x\n>>>>>>> abc\n", "x\r\n<<<<<<< a\r\n", "||||||| base\n", "<<<<<<<\n"])(
    "sees them in %j",
    (text) => {
      expect(hasConflictMarkers(text)).toBe(true);
    },
  );

  it.each(["", "Title\n=======\n", "a <<<<<<< b\n", "<<<<<<<<< x\n", "  <<<<<<< x\n", ">>>>>>>>\n"])(
    "sees none in %j",
    (text) => {
      expect(hasConflictMarkers(text)).toBe(false);
    },
  );
});
