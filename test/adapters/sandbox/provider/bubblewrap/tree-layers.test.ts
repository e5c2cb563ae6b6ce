import { expect, it } from "vitest";
import {
  arrangeLayers,
  type TreeLayer,
} from "../../../../../src/adapters/sandbox/provider/bubblewrap/tree-layers.ts";

const tree = (access: "read" | "write"): TreeLayer => ({ path: "", access });
const shown = (layers: readonly TreeLayer[]) =>
  arrangeLayers(layers).map(({ path, access }) => `${access} ${path || "."}`);

it("holds every folder above a hidden or protected path, outer ones first", () => {
  expect(
    shown([tree("write"), { path: "a/b/ro", access: "read" }, { path: "a/x/y/secret", access: "hidden" }]),
  ).toEqual([
    "write .",
    "write a",
    "write a/b",
    "write a/x",
    "read a/b/ro",
    "write a/x/y",
    "hidden a/x/y/secret",
  ]);
});

it("holds no folder that can't be moved anyway", () => {
  expect(
    shown([
      tree("read"),
      { path: "doc/notes", access: "write" },
      { path: "doc/notes/in/key", access: "hidden" },
    ]),
  ).toEqual(["read .", "write doc/notes", "write doc/notes/in", "hidden doc/notes/in/key"]);
});

it("lets a later layer beat an earlier one, and leaves out what changes nothing", () => {
  expect(
    shown([
      tree("write"),
      { path: "docs/api", access: "read" },
      { path: "src", access: "write" },
      { path: "docs", access: "write" },
      { path: "keys", access: "hidden" },
      { path: "keys/in", access: "hidden" },
    ]),
  ).toEqual(["write .", "hidden keys"]);
  expect(shown([tree("write"), { path: "", access: "hidden" }])).toEqual(["hidden ."]);
});
