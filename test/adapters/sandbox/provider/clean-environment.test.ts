import { describe, expect, it } from "vitest";
import type { ShownPrograms } from "../../../../src/adapters/sandbox/provider/bubblewrap/shown-programs.ts";
import { cleanEnvironment } from "../../../../src/adapters/sandbox/provider/clean-environment.ts";

const PROGRAMS = { searchPath: ["/usr/bin"], covers: () => false } as unknown as ShownPrograms;

function clean(env: Record<string, string>): Record<string, string> {
  return cleanEnvironment({ env, programs: PROGRAMS, home: "/home", tmp: "/tmp", hasRelay: false });
}

describe("the environment of a sandbox", () => {
  it("has the operator's language and zone", () => {
    const env = {
      LANG: "de_DE.UTF-8",
      LANGUAGE: "de:en",
      LC_ALL: "en_US.UTF-8",
      LC_CTYPE: "C.UTF-8",
      LC_MESSAGES: "sr_RS@latin",
      TZ: "Europe/Berlin",
    };
    expect(clean(env)).toMatchObject(env);
    expect(clean({ TZ: "UTC" }).TZ).toBe("UTC");
  });

  it.each([
    ["LC_TOKEN", "ghp_0123456789"],
    ["LC_KEY", "C"],
    ["LC_ALL", "a secret of several words"],
    ["LC_TIME", "x".repeat(65)],
    ["LC_CTYPE", "C\nTOKEN=1"],
    ["LANGUAGE", '{"key":"secret"}'],
    ["LC_NAME", "c2VjcmV0/c2VjcmV0+"],
    ["TZ", ""],
  ])("has no %s with %j", (name, value) => {
    expect(clean({ [name]: value })[name]).toBeUndefined();
  });

  it("keeps its own language where the operator's is none", () => {
    expect(clean({ LANG: "not a language" }).LANG).toBe("C.UTF-8");
  });
});
