import { lstatSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { isAgentConfig } from "../../../src/core/paths/agent-config.ts";
import { ensureProgram } from "../../setup/ensure-program.ts";
import { DRIVEN_CLIS } from "../sessions/driven-clis.ts";
import { createSessionBench } from "../sessions/session-bench.ts";
import { HARMLESS, PLACES } from "./places.ts";
import { createTracer } from "./trace-session.ts";

beforeAll(() => ensureProgram("strace", "strace"));

describe.each(DRIVEN_CLIS)("$id", (cli) => {
  it("looks at no place of a repository that is not known, and is instructed from none that is not protected", async () => {
    const bench = await createSessionBench(cli, () => ({ "pkg/deep/file.txt": "x\n" }));
    try {
      const tracer = createTracer(bench.root);
      const server = await bench.serve({
        script: [{ tools: [{ read: "pkg/deep/file.txt" }] }, { say: "Done." }],
      });
      const harness = await bench.harnessFor(server.url, { PATH: tracer.path });
      const { end } = await bench.start(harness, { home: bench.home("one") }).heard;
      expect(end).toMatchObject({ failure: null, text: "Done." });
      const seen = new Set([...tracer.pathsBelow(bench.tree)].flatMap((path) => placeOf(bench.tree, path)));
      const known = PLACES[cli.id];
      expect([...seen].filter((place) => !known.includes(place))).toEqual([]);
      // What instructs it was looked at, so the trace did see what it should.
      expect(known.filter((place) => isAgentConfig(place) && !seen.has(place))).toEqual([]);
    } finally {
      await bench.dispose();
    }
  });

  it("has no place that is neither protected nor known to be harmless", () => {
    expect(PLACES[cli.id].filter((place) => !isAgentConfig(place) && HARMLESS[place] === undefined)).toEqual(
      [],
    );
  });
});

/** The first name on the way that the repository does not have; `.git` counts as such, and files of the repository are no place. */
function placeOf(tree: string, path: string): string[] {
  let at = tree;
  for (const name of path.split("/")) {
    at = join(at, name);
    if (name === ".git") return [name];
    if (!lstatSync(at, { throwIfNoEntry: false })) return [name.replace(/^\.file\.txt\./, ".*.")];
  }
  return [];
}
