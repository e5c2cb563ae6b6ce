import { expect, it } from "vitest";
import { createEtags } from "../../../src/adapters/github/api/etags.ts";

const answer = (etag: string, size: number) => ({
  status: 200,
  headers: { etag },
  data: { body: "x".repeat(size) },
});

/** Which of these are still known. */
function known(etags: ReturnType<typeof createEtags>, ...keys: string[]): string[] {
  return keys.filter((key) => etags.of("7").get(key) !== null);
}

it("gives back an answer as it was", () => {
  const etags = createEtags();
  etags.of("7").keep("a", answer("1", 10));
  const found = etags.of("7").get("a");
  expect([found?.etag, found?.reply()]).toEqual(["1", answer("1", 10)]);
  expect(etags.of("8").get("a")).toBeNull();
});

it("keeps answers up to a size of all of them together, those asked for last", () => {
  const etags = createEtags(10_000);
  for (const key of ["a", "b", "c"]) etags.of("7").keep(key, answer(key, 3000));
  expect(known(etags, "a", "b", "c")).toEqual(["a", "b", "c"]);
  // `known` has asked for all of them, `a` first; now it is the latest.
  etags.of("7").get("a");
  etags.of("7").keep("d", answer("d", 3000));
  expect(known(etags, "a", "b", "c", "d")).toEqual(["a", "c", "d"]);
});

it("forgets as few as make room, and counts an answer once that came again", () => {
  const etags = createEtags(10_000);
  for (let time = 0; time < 9; time += 1) etags.of("7").keep("a", answer(`${time}`, 4000));
  for (let n = 0; n < 50; n += 1) etags.of("7").keep(`small-${n}`, answer("s", 10));
  expect(known(etags, "a")).toEqual(["a"]);
  etags.of("7").keep("b", answer("b", 4000));
  expect(known(etags, "a", "b", "small-0", "small-49")).toEqual(["a", "b", "small-49"]);
});

it("keeps none that would take the place of all others", () => {
  const etags = createEtags(10_000);
  etags.of("7").keep("a", answer("a", 3000));
  etags.of("7").keep("huge", answer("h", 9000));
  expect(known(etags, "a", "huge")).toEqual(["a"]);
  // What was known of it is no answer any more.
  etags.of("7").keep("a", answer("a", 9000));
  expect(known(etags, "a")).toEqual([]);
});
