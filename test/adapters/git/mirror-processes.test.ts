import { execFile } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compileSources } from "../../support/compile-sources.ts";
import { type GitServer, serveGit } from "../../support/git-http.ts";
import { git, tempFolder } from "../../support/git-repo.ts";

/** Opens a mirror, fetches, and has several work trees at a time, over and over; prints what it found. */
const WORKER = `
const [root, path, url, trees] = process.argv.slice(2);
const { createGit } = await import(root + "/src/adapters/git/run/git.js");
const { openMirror } = await import(root + "/src/adapters/git/mirror/mirror.js");
const { createRepositoryGit } = await import(root + "/src/adapters/git/run/repository-git.js");
const { createGitWorkspace } = await import(root + "/src/adapters/git/workspace.js");
const program = createGit();
const mirror = await openMirror({ program, path, url, credentials: async () => "ghs_SENTINEL" });
const made = [];
for (let round = 0; round < 3; round += 1) {
  const refs = await mirror.remote.fetchRefs(["refs/heads/main", "refs/heads/none"]);
  const base = refs.get("refs/heads/main");
  const git = createRepositoryGit(program, mirror.repository);
  const workspace = createGitWorkspace({ git, treesRoot: trees + "/" + round });
  const lent = await Promise.all([1, 2, 3].map(() => workspace.open(base)));
  made.push(...lent.map((tree) => tree.path));
  await workspace.dispose();
}
console.log(JSON.stringify({ made }));
`;

let compiled: Awaited<ReturnType<typeof compileSources>>;
beforeAll(async () => {
  compiled = await compileSources(["src/adapters/git"]);
});
afterAll(() => compiled.dispose());

const run = promisify(execFile);

type Worked = { readonly made: string[]; readonly stderr: string };

async function work(server: GitServer, path: string, env: Record<string, string> = {}): Promise<Worked> {
  const folder = tempFolder();
  // Beside the compiled sources, where packages are found.
  const script = join(dirname(compiled.root), "worker.mjs");
  writeFileSync(script, WORKER);
  const args = [script, compiled.root, path, server.url, join(folder, "trees")];
  const { stdout, stderr } = await run(process.execPath, args, {
    env: { ...process.env, ...env },
    maxBuffer: 100_000_000,
  });
  return { ...(JSON.parse(stdout) as { made: string[] }), stderr };
}

describe("several processes on one mirror", () => {
  it("open it, fetch into it and have work trees of it at the same time", async () => {
    const server = await serveGit();
    server.tokens.add("ghs_SENTINEL");
    const path = join(tempFolder(), "mirrors", "r1.git");
    const answers = await Promise.all([1, 2, 3, 4].map(() => work(server, path)));
    expect(answers.map(({ made }) => made.length)).toEqual([9, 9, 9, 9]);
    expect(new Set(answers.flatMap(({ made }) => made)).size).toBe(36);
    expect(readdirSync(dirname(path))).toEqual(["r1.git"]);
    expect(git(path, "worktree", "list").split("\n")).toHaveLength(1);
    expect(existsSync(join(path, "loom/worktrees.lock"))).toBe(false);
    expect(git(join(path, "loom/remote"), "rev-parse", "--verify", "refs/loom/remote/heads%2Fmain")).toBe(
      server.person.sha("HEAD"),
    );
  });
});

describe("a process that is watched closely", () => {
  it("tells no token to whoever turns on the messages of its libraries, or of git", async () => {
    const server = await serveGit();
    server.tokens.add("ghs_SENTINEL");
    const trace = join(tempFolder(), "trace");
    const { stderr } = await work(server, join(tempFolder(), "r1.git"), {
      DEBUG: "*",
      GIT_TRACE: trace,
      GIT_TRACE_CURL: trace,
      GIT_TRACE_REDACT: "0",
      GIT_CURL_VERBOSE: "1",
    });
    expect(stderr).toContain("simple-git");
    expect(stderr).toContain("GIT_DIR");
    expect(stderr).not.toContain(Buffer.from("x-access-token:ghs_SENTINEL").toString("base64"));
    expect(stderr).not.toContain("ghs_SENTINEL");
    expect(existsSync(trace)).toBe(false);
  });
});
