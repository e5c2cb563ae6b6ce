import { expect, it } from "vitest";
import { namedFiles } from "../../../src/core/run/named-files.ts";

const paths = (count: number) => Array.from({ length: count }, (_, at) => `f${at}`);

it("the ledger names the first files of a change and counts the rest", () => {
  expect(namedFiles(paths(500))).toEqual({ files: paths(500) });
  expect(namedFiles(paths(5_000))).toEqual({ files: paths(500), moreFiles: 4_500 });
});

it("files that were only counted before are counted again", () => {
  expect(namedFiles(paths(500), 4_500)).toEqual({ files: paths(500), moreFiles: 4_500 });
});
