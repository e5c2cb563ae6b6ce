import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureProgram } from "../../../setup/ensure-program.ts";
import { compileSources } from "../../../support/compile-sources.ts";

/** Programs that are started for one program of a sandbox: what costs most of a short stage. No clock is asked. */
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

const SPECS = {
  check: { network: { allow: [] }, model: null },
  agent: {
    network: { allow: ["example.org"] },
    model: { upstream: "http://127.0.0.1:9", placeholder: "placeholder", key: "key", api: [] },
  },
};

/** By name, in all programs of one sandbox. */
function started(sandboxSpec: object): Record<string, number> {
  const script = join(folder, "script.mjs");
  const trace = join(folder, "trace");
  const tree = mkdtempSync(join(folder, "tree-"));
  const adapters = join(sources.root, "src/adapters");
  writeFileSync(
    script,
    `import { execFileSync } from "node:child_process";
     import { createSupervisor } from ${JSON.stringify(join(adapters, "sandbox/processes/process-supervisor.js"))};
     import { chooseSandboxProvider } from ${JSON.stringify(join(adapters, "sandbox/provider/choose-sandbox-provider.js"))};
     import { createControlGroup } from ${JSON.stringify(join(adapters, "sandbox/provider/limits/control-groups.js"))};
     import { createPatterns } from ${JSON.stringify(join(adapters, "text/patterns.js"))};
     const supervisor = createSupervisor();
     const [tree, sandboxSpec] = ${JSON.stringify([tree, sandboxSpec])};
     const limits = { processes: 512, memoryBytes: 2 ** 32, fileBytes: 2 ** 31, diskBytes: 2 ** 32 };
     const sandboxes = await chooseSandboxProvider({ supervisor, env: { PATH: process.env.PATH, LOOM_SANDBOX: "bubblewrap" },
       folder: ${JSON.stringify(join(folder, "sandboxes"))}, cwd: tree, patterns: createPatterns(), group: createControlGroup });
     const open = () => sandboxes.open({ marker: "count", tree, treeAccess: "write", hidden: [], readOnly: [], writable: [],
       home: null, shows: [], judge: null, onTraffic: null, limits, ...sandboxSpec });
     const run = async (sandbox) => {
       const running = sandbox.spawn({ argv: ["true"], cwd: tree, env: {}, stdin: "" });
       for await (const _ of running.output);
       const exit = await running.exit;
       if (exit.kind !== "exited" || exit.code !== 0) throw new Error(JSON.stringify(exit));
     };
     // What is started once per process, such as pipes.
     const first = await open();
     await run(first);
     await first.close();
     execFileSync("/bin/echo", ["begin"]);
     const sandbox = await open();
     for (let n = 0; n < ${PROGRAMS}; n += 1) await run(sandbox);
     await sandbox.close();
     execFileSync("/bin/echo", ["end"]);
     await sandboxes.close();
     await supervisor.close();`,
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

describe("for one program of a sandbox", () => {
  it.each(["agent", "check"] as const)("three others are started, none of them Node: %s", (kind) => {
    expect(started(SPECS[kind])).toEqual({ perl: 2 * PROGRAMS, bwrap: PROGRAMS, true: PROGRAMS });
  });
});
