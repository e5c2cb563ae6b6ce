import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { guardFile, relayFile } from "../../../../src/adapters/sandbox/gateway/program-files.ts";

describe("the programs of a sandbox", () => {
  it("are found where the build puts them", () => {
    expect([relayFile(), guardFile()].filter((file) => !existsSync(file))).toEqual([]);
  });
});
