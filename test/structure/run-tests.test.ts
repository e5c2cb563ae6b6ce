import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isAlive } from "../support/living-processes.ts";

const ROOT = resolve(import.meta.dirname, "../..");

const GREEN = `import { expect, it } from "vitest";\nit("holds", () => expect(1).toBe(1));\n`;
const RED = `import { expect, it } from "vitest";\nit("holds", () => {});\nit("does not", () => expect(1).toBe(2));\n`;
const BROKEN = `import "./nowhere.ts";\n`;
/** Fails unless it was run before. */
const FLAKY = `
import { existsSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
it("passes the second time", () => {
  const was = existsSync("seen");
  writeFileSync("seen", "");
  expect(was).toBe(true);
});
`;

/** A project of its own, with the tests \`<project>/<name>.test.ts\`. */
function aProject(tests: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "loom-run-tests-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const names = ["small", "large"];
  const projects = names.map((name) => ({ test: { name, include: [`${name}/*.test.ts`] } }));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(folder, "vitest.config.js"),
    `export default { test: ${JSON.stringify({ projects })} };`,
  );
  for (const name of names) mkdirSync(join(folder, name));
  for (const [name, text] of Object.entries(tests)) writeFileSync(join(folder, `${name}.test.ts`), text);
  return folder;
}

function start(folder: string, ...args: readonly string[]) {
  return [process.execPath, [join(ROOT, "test/run.mjs"), "--root", folder, ...args]] as const;
}

function options(folder: string) {
  const { VITEST: _, ...env } = process.env;
  return { cwd: folder, env: { ...env, NO_COLOR: "1" } };
}

function run(folder: string, ...args: readonly string[]): { code: number | null; said: string } {
  const { status, stdout } = spawnSync(...start(folder, ...args), { ...options(folder), encoding: "utf8" });
  return { code: status, said: stdout };
}

describe("test/run.mjs", () => {
  it("runs what failed once more: what passes then is flaky, and what does not has failed", () => {
    const folder = aProject({
      "small/green": GREEN,
      "small/flaky": FLAKY,
      "large/red": RED,
      "large/broken": BROKEN,
    });
    const { code, said } = run(folder);
    expect(code).toBe(1);
    expect(said.match(/^Once more, alone: .*/gm)?.sort()).toEqual([
      "Once more, alone: large/broken.test.ts",
      "Once more, alone: large/red.test.ts",
      "Once more, alone: small/flaky.test.ts",
    ]);
    expect(said.slice(said.indexOf("By project:"))).toMatchInlineSnapshot(`
      "By project:
        large: 1 passed, 2 failed, 0 skipped
        small: 2 passed, 0 failed, 0 skipped

      These failed, and passed when they were run once more, alone:
        small/flaky.test.ts

      flaky: 1
      3 passed, 2 failed, 0 skipped
      "
    `);
    const slowest = said.slice(said.indexOf("The slowest files:"), said.indexOf("By project:"));
    expect(slowest.match(/^ +\d+\.\d s {2}\S+$/gm)).toHaveLength(4);
  });

  it("ends well with nothing but a flaky file, and names it", () => {
    const { code, said } = run(aProject({ "small/green": GREEN, "small/flaky": FLAKY }));
    expect(said.slice(said.indexOf("By project:"))).toMatchInlineSnapshot(`
      "By project:
        small: 2 passed, 0 failed, 0 skipped

      These failed, and passed when they were run once more, alone:
        small/flaky.test.ts

      flaky: 1
      2 passed, 0 failed, 0 skipped
      "
    `);
    expect(code).toBe(0);
  });

  it("runs the projects it is told to, and says what it left", () => {
    const folder = aProject({ "small/green": GREEN, "large/red": RED });
    const { code, said } = run(folder, "--project", "small");
    expect(said.slice(said.indexOf("By project:"))).toMatchInlineSnapshot(`
      "By project:
        small: 1 passed, 0 failed, 0 skipped
      Left to \`npm run test:all\`: large

      flaky: 0
      1 passed, 0 failed, 0 skipped
      "
    `);
    expect(code).toBe(0);
  });

  it("runs what failed of a shard", () => {
    const folder = aProject({ "small/flaky": FLAKY, "small/green": GREEN, "large/green": GREEN });
    const shards = ["1/3", "2/3", "3/3"].map((shard) => run(folder, "--shard", shard));
    expect(shards.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(shards.map(({ said }) => /^flaky: \d/m.exec(said)?.[0]).sort()).toEqual([
      "flaky: 0",
      "flaky: 0",
      "flaky: 1",
    ]);
  });

  it("fails for what nobody caught, though every test passed", () => {
    const stray = `${GREEN}Promise.reject(new Error("stray"));\n`;
    const { code, said } = run(aProject({ "small/stray": stray }));
    expect([code, said]).toEqual([1, expect.stringMatching(/^1 passed, 1 failed, 0 skipped$/m)]);
  });

  it("ends with its workers when it is interrupted", async () => {
    const hangs = `import { it } from "vitest";\nconsole.log("worker " + process.pid);\nit("hangs", () => new Promise(() => setInterval(() => {}, 1000)));\n`;
    const folder = aProject({ "small/hangs": hangs });
    // A terminal interrupts all that runs in it.
    const [node, args] = start(folder, "--disable-console-intercept");
    const child = spawn(node, args, { ...options(folder), detached: true });
    let said = "";
    const worker = await new Promise<number>((found, fail) => {
      child.stdout.on("data", (chunk: Buffer) => {
        said += chunk;
        const pid = /worker (\d+)/.exec(said)?.[1];
        if (pid) found(Number(pid));
      });
      child.on("close", () => fail(new Error(`it ended before any test began:\n${said}`)));
    });
    const ended = once(child, "close");
    process.kill(-(child.pid ?? Number.NaN), "SIGINT");
    expect(await ended).toEqual([130, null]);
    await expect.poll(() => isAlive(worker)).toBe(false);
  });
});
