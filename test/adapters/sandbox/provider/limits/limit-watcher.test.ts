import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { compileSources } from "../../../../support/compile-sources.ts";
import { tempFolder } from "../../../../support/git-repo.ts";

it("the thread that watches limits loads no code that NODE_OPTIONS names, since agents may have changed it by then", async () => {
  const { root, dispose } = await compileSources(
    ["limit-watcher", "limit-thread"].map((name) => `src/adapters/sandbox/provider/limits/${name}.ts`),
  );
  onTestFinished(dispose);
  const watcher = join(root, "src/adapters/sandbox/provider/limits/limit-watcher.js");
  const folder = tempFolder();
  const seen = join(folder, "seen");
  writeFileSync(
    join(folder, "hook.cjs"),
    `require("node:fs").appendFileSync(${JSON.stringify(seen)}, require("node:worker_threads").isMainThread ? "main " : "thread ")`,
  );
  writeFileSync(
    join(folder, "watch.mjs"),
    `import { createLimitWatcher } from ${JSON.stringify(watcher)};
    const watcher = createLimitWatcher();
    const limits = { processes: 9, memoryBytes: 1e9, fileBytes: 1e9, diskBytes: 1e9 };
    const sandbox = watcher.watch({ limits, folders: [], onExceeded() {} });
    await sandbox.ended(999999);
    await watcher.close();`,
  );
  for (const [options, args] of [
    ["--require=./hook.cjs", []],
    ["", ["--require", "./hook.cjs"]],
  ] as const) {
    writeFileSync(seen, "");
    const env = { PATH: process.env.PATH, NODE_OPTIONS: options };
    execFileSync(process.execPath, [...args, "watch.mjs"], { cwd: folder, env });
    expect(readFileSync(seen, "utf8")).toBe("main ");
  }
});
