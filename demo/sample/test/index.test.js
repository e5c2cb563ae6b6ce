import assert from "node:assert/strict";
import { test } from "node:test";
import * as wordcount from "../src/index.js";

test("the package loads", () => {
  assert.equal(typeof wordcount, "object");
});
