import { expect, it } from "vitest";
import { createPatterns } from "../../../src/adapters/text/patterns.ts";
import { throughLinks } from "../../../src/core/sandbox/through-links.ts";

const patterns = createPatterns();
const LINKS = new Map([
  ["current", "conf"],
  ["conf/live", "../releases/v1"],
  ["app/server.pem", "../keys/real.key"],
  ["app/up", ".."],
  ["out", "/etc"],
  ["round", "round"],
]);
const added = (...globs: string[]) =>
  throughLinks(globs, LINKS, (glob, path) => patterns.glob(glob)(path)).filter((one) => !globs.includes(one));

it.each([
  ["current/prod/key.txt", ["conf/prod/key.txt"]],
  ["./current/", ["conf"]],
  ["current/**", ["conf/**"]],
  ["c*t/prod/*.txt", ["conf/prod/*.txt"]],
  ["current/live/key", ["conf/live/key", "releases/v1/key"]],
  ["**/*.pem", ["keys/real.key"]],
  ["app/up", ["**"]],
  ["app/**/key", []],
  ["**/.env", []],
  ["conf/prod/key.txt", []],
  ["{current,x/y}/key", []],
  ["out/passwd", []],
  ["round/x", []],
])("%s means also %j", (glob, more) => {
  expect(added(glob)).toEqual(more);
});
