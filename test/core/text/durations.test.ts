import { describe, expect, it } from "vitest";
import {
  counted,
  formatDuration,
  formatElapsed,
  formatRoughly,
  ordinal,
  timeTaken,
} from "../../../src/core/text/durations.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe("durations", () => {
  it("are exact to a tenth when short, and to what matters when long", () => {
    const times = [
      0,
      40,
      449,
      9_940,
      9_960,
      12_400,
      59_600,
      64_000,
      59 * MINUTE + 59_900,
      62 * MINUTE,
      28 * HOUR,
    ];
    expect(times.map(formatDuration)).toEqual([
      "0.0s",
      "0.0s",
      "0.4s",
      "9.9s",
      "10s",
      "12s",
      "1m 00s",
      "1m 04s",
      "1h 00m",
      "1h 02m",
      "1d 4h",
    ]);
  });

  it("change once a second while the clock runs", () => {
    expect([0, 999, 1000, 59_999, 60_000, HOUR].map(formatElapsed)).toEqual([
      "0s",
      "0s",
      "1s",
      "59s",
      "1m 00s",
      "1h 00m",
    ]);
  });

  it("are rough where that is enough", () => {
    expect([40 * SECOND, 6.9 * MINUTE, 3.2 * HOUR, 50 * HOUR].map(formatRoughly)).toEqual([
      "40s",
      "6m",
      "3h",
      "2d",
    ]);
  });

  it("are never negative when a clock was set back", () => {
    expect(formatElapsed(-5000)).toBe("0s");
    expect(timeTaken({ startedAt: "2026-01-01T00:00:10Z", endedAt: "2026-01-01T00:00:00Z" }, 0)).toBe(0);
  });
});

describe("numbers in words", () => {
  it("have the ending that people say", () => {
    expect([1, 2, 3, 4, 11, 12, 13, 21, 22, 111].map(ordinal).join(" ")).toBe(
      "1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 111th",
    );
  });

  it("agree with what they count", () => {
    expect([0, 1, 2].map((n) => counted(n, "stage"))).toEqual(["0 stages", "1 stage", "2 stages"]);
  });
});
