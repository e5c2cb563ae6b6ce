import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DRIVEN_CLIS } from "./driven-clis.ts";
import { hostileFiles } from "./hostile-repository.ts";
import { createSessionBench, type SessionBench } from "./session-bench.ts";

describe.each(DRIVEN_CLIS)("$id in a repository that is set up against it", (cli) => {
  let bench: SessionBench;
  beforeAll(async () => {
    bench = await createSessionBench(cli, hostileFiles);
  });
  afterAll(() => bench.dispose());

  it("runs nothing of it, and the judge is heard as ever", async () => {
    const server = await bench.serve({
      script: [
        { tools: [{ shell: "ls README.md" }] },
        { tools: [{ shell: "rm -rf precious" }] },
        { say: "I could not remove it." },
      ],
    });
    const harness = await bench.harnessFor(server.url);
    const { end } = await bench.start(harness, {
      home: bench.home("one"),
      judge: ({ command }) =>
        command?.includes("rm -rf") ? { kind: "deny", reason: "it stays." } : { kind: "allow" },
    }).heard;
    expect(end).toMatchObject({ failure: null, text: "I could not remove it.", deniedHosts: [] });
    const [listed, removed] = server.requests().at(-1)?.toolResults ?? [];
    expect(listed?.text).toContain("README.md");
    expect(removed?.text).toContain("Loom does not allow this: it stays.");
    expect(existsSync(join(bench.tree, "precious/thing.txt"))).toBe(true);
    expect(readdirSync(bench.tree).filter((name) => name.startsWith("sprung-"))).toEqual([]);
  });
});
