import { describe, expect, it } from "vitest";
import { createResolver } from "../../../../src/adapters/sandbox/gateway/resolve-target.ts";

describe("looking up names", () => {
  it("answers many at a time, although only a few are asked for at once", async () => {
    const resolve = createResolver(10_000);
    const answers = await Promise.all(Array.from({ length: 30 }, () => resolve("localhost")));
    expect(answers.every((found) => found.includes("127.0.0.1") || found.includes("::1"))).toBe(true);
  });

  it("goes on after a name that does not exist", async () => {
    const resolve = createResolver(10_000);
    await Promise.all(["a", "b", "c"].map((name) => expect(resolve(`${name}.invalid`)).rejects.toThrow()));
    expect(await resolve("localhost")).not.toEqual([]);
  });
});
