import { expect, it } from "vitest";
import { diskWords } from "../../../src/core/report/commands/doctor-report.ts";

it("tells sizes so that people can compare them", () => {
  expect(diskWords({ ledgerBytes: 1, logBytes: 50 * 1024 ** 2, trees: 1 })).toBe(
    "50 MB of logs, 1 KB of ledgers, 1 work tree",
  );
  expect(diskWords({ ledgerBytes: 0, logBytes: 9_000 * 1024, trees: 2 })).toBe(
    "9000 KB of logs, 0 KB of ledgers, 2 work trees",
  );
});
