import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const ROOT = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

describe("the oldest Node that Loom runs on", () => {
  const oldest = read(".nvmrc").trim();

  it("is the one that people, npm and the build are told", () => {
    expect(JSON.parse(read("package.json")).engines).toEqual({ node: `>=${oldest}` });
    expect(read("build/bundle.mjs")).toContain(`target: "node${oldest}"`);
    for (const page of ["README.md", "CONTRIBUTING.md"])
      expect(read(page)).toContain(`You need Node ${oldest} or newer`);
  });

  it("is the first one that CI tries", () => {
    type Job = { strategy?: { matrix?: { node?: unknown[] } } };
    const { jobs } = parse(read(".github/workflows/ci.yml"));
    const tried = Object.values<Job>(jobs).flatMap(
      ({ strategy }) => strategy?.matrix?.node?.slice(0, 1) ?? [],
    );
    expect(new Set(tried)).toEqual(new Set([oldest]));
  });
});
