import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureProgram } from "../../../setup/ensure-program.ts";
import { compileSources } from "../../../support/compile-sources.ts";

/** Programs that are started for one program of a room: what costs most of a short stage. No clock is asked. */
let sources: Awaited<ReturnType<typeof compileSources>>;
let folder: string;
beforeAll(async () => {
  ensureProgram("strace", "strace");
  ensureProgram("bwrap", "bubblewrap");
  ensureProgram("perl", "perl");
  folder = mkdtempSync(join(tmpdir(), "loom-count-"));
  sources = await compileSources(["src/adapters"]);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await sources.dispose();
});

const PROGRAMS = 3;

const WALLS = {
  check: { network: { allow: [] }, model: null },
  agent: {
    network: { allow: ["example.org"] },
    model: { upstream: "http://127.0.0.1:9", placeholder: "placeholder", key: "key", api: [] },
  },
};

/** By name, in all programs of one room. */
function started(walls: object): Record<string, number> {
  const script = join(folder, "script.mjs");
  const trace = join(folder, "trace");
  const tree = mkdtempSync(join(folder, "tree-"));
  const adapters = join(sources.root, "src/adapters");
  writeFileSync(
    script,
    `import { execFileSync } from "node:child_process";
     import { createOpenSandbox } from ${JSON.stringify(join(adapters, "sandbox/open-sandbox.js"))};
     import { chooseRooms } from ${JSON.stringify(join(adapters, "sandbox/rooms/choose-rooms.js"))};
     import { createControlGroup } from ${JSON.stringify(join(adapters, "sandbox/rooms/control-groups.js"))};
     import { createPatterns } from ${JSON.stringify(join(adapters, "text/patterns.js"))};
     const sandbox = createOpenSandbox();
     const [tree, walls] = ${JSON.stringify([tree, walls])};
     const limits = { processes: 512, memoryBytes: 2 ** 32, fileBytes: 2 ** 31, diskBytes: 2 ** 32 };
     const rooms = await chooseRooms({ sandbox, env: { PATH: process.env.PATH, LOOM_SANDBOX: "bubblewrap" },
       folder: ${JSON.stringify(join(folder, "rooms"))}, cwd: tree, patterns: createPatterns(), group: createControlGroup });
     const open = () => rooms.open({ marker: "count", tree, treeAccess: "write", hidden: [], readOnly: [], writable: [],
       home: null, shows: [], judge: null, onTraffic: null, limits, ...walls });
     const run = async (room) => {
       const running = room.spawn({ argv: ["true"], cwd: tree, env: {}, stdin: "" });
       for await (const _ of running.output);
       const exit = await running.exit;
       if (exit.kind !== "exited" || exit.code !== 0) throw new Error(JSON.stringify(exit));
     };
     // What is started once per process, such as pipes.
     const first = await open();
     await run(first);
     await first.close();
     execFileSync("/bin/echo", ["begin"]);
     const room = await open();
     for (let n = 0; n < ${PROGRAMS}; n += 1) await run(room);
     await room.close();
     execFileSync("/bin/echo", ["end"]);
     await rooms.close();
     await sandbox.close();`,
  );
  const words = ["-f", "-qq", "-e", "trace=execve", "-e", "signal=none", "-o", trace];
  execFileSync("strace", [...words, process.execPath, script], { cwd: "/" });
  const [, inside = ""] = readFileSync(trace, "utf8").split(/^.*"\/bin\/echo".*$/m);
  const counts: Record<string, number> = {};
  for (const line of inside.split("\n")) {
    const program = /execve\("([^"]+)"/.exec(line)?.[1];
    if (program === undefined || line.includes("ENOENT")) continue;
    counts[basename(program)] = (counts[basename(program)] ?? 0) + 1;
  }
  return counts;
}

describe("for one program of a room", () => {
  it.each(["agent", "check"] as const)("three others are started, none of them Node: %s", (kind) => {
    expect(started(WALLS[kind])).toEqual({ perl: 2 * PROGRAMS, bwrap: PROGRAMS, true: PROGRAMS });
  });
});
