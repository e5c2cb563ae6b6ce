import { describe, expect, it } from "vitest";
import { readPsOutput } from "../../../../src/adapters/sandbox/processes/ps-reader.ts";

describe("readPsOutput", () => {
  it("reads the columns and finds both names in the environment behind the command", () => {
    const text = [
      "    1     0     1 Ss   Thu Jan  8 09:05:07 2026 /sbin/launchd",
      "  812   800   812 S    Thu Jan  8 10:15:30 2026 sleep 1000 PATH=/bin LOOM_MARKER=run-1.a LOOM_OWNER=ab12 TERM=xterm",
    ].join("\n");
    expect(readPsOutput(text)).toEqual([
      {
        pid: 1,
        parent: 0,
        group: 1,
        session: 1,
        started: Date.parse("2026-01-08T09:05:07Z"),
        marker: null,
        owner: null,
        unsettled: false,
      },
      {
        pid: 812,
        parent: 800,
        group: 812,
        session: 812,
        started: Date.parse("2026-01-08T10:15:30Z"),
        marker: "run-1.a",
        owner: "ab12",
        unsettled: false,
      },
    ]);
  });

  it("leaves zombies out, and lines that are no process", () => {
    expect(readPsOutput("  9 1 9 Z+ Thu Jan  8 09:05:07 2026 (sleep)\nwarning: something\n\n")).toEqual([]);
  });

  it("takes no other name that ends alike", () => {
    const text = "  9 1 9 S Thu Jan  8 09:05:07 2026 sleep 1 MY_LOOM_MARKER=x";
    expect(readPsOutput(text)[0]?.marker).toBeNull();
  });
});
