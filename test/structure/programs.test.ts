import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");

/** Programs of the product that start others; the playground, the demo and the benchmarks are none that agents meet. */
const STARTERS: Readonly<Record<string, string>> = {
  "src/adapters/git/run/helper-process.ts": "git that stays, to be asked about objects and diffs",
  "src/adapters/git/run/run-over-network.ts": "git with a token",
  "src/adapters/git/trees/remove-strangers.ts": "rm, for folders that no path is long enough for",
  "src/adapters/harness/opencode/guard-plugin.ts": "text of a plugin that runs in the sandbox",
  "src/adapters/harness/scripted-agent.ts": "an agent: it runs in the sandbox",
  "src/adapters/os/process-identity.ts": "ps, where there is no /proc",
  "src/adapters/sandbox/gateway/relay.ts": "runs in the sandbox",
  "src/adapters/sandbox/processes/orphan-reaper.ts": "sh",
  "src/adapters/sandbox/processes/ps-reader.ts": "ps, where there is no /proc",
  "src/adapters/sandbox/processes/session.ts": "all that is given to the process supervisor",
  "src/adapters/sandbox/processes/stdio.ts": "mkfifo",
  "src/adapters/sandbox/provider/bubblewrap/try-bubblewrap.ts": "bubblewrap",
  "src/adapters/sandbox/provider/container.ts": "docker or podman",
  "src/adapters/sandbox/provider/remove-folder.ts": "sh",
};

const sources = ["src", "workers"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), "utf8") })),
);

/** A program named by a text that is no path from the root: `spawn("git", …)`, `promisify(execFile)("rm", …)`, `run("ps", …)`. */
const BARE_NAME =
  /\b(?:spawn|spawnSync|execFile|execFileSync|exec|execSync|fork|run|promisify\(\w+\))\(\s*["'`](?!\/)[^"'`]*["'`]/g;

describe("programs", () => {
  it("are started by few files, each of which has a reason", () => {
    const starters = sources
      .filter(({ text }) => /["']node:child_process["']/.test(text))
      .map(({ file }) => file);
    expect(starters.sort()).toEqual(Object.keys(STARTERS));
  });

  it("are never started by a bare name, which PATH would decide about", () => {
    const wrong = sources
      .filter(({ file }) => file in STARTERS)
      .flatMap(({ file, text }) => Array.from(text.matchAll(BARE_NAME), ([call]) => `${file}: ${call}`));
    expect(wrong).toEqual([]);
  });

  it("are looked for in one place", () => {
    const elsewhere = sources
      .filter(({ file }) => !file.startsWith("src/adapters/os/"))
      .filter(({ text }) => /env\.PATH\b[^;]*\.split\(/s.test(text))
      .map(({ file }) => file);
    // It runs in the sandbox, and looks only to say why a program could not be started.
    expect(elsewhere).toEqual(["src/adapters/sandbox/gateway/relay.ts"]);
  });

  it("are told to simple-git by their path", () => {
    const users = sources.filter(({ text }) => text.includes('from "simple-git"'));
    expect(users.map(({ file }) => file)).toEqual(["src/adapters/git/run/git.ts"]);
    expect(users[0]?.text).toMatch(/binary: program,/);
  });
});
