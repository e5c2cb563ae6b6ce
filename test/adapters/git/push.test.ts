import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openMirror } from "../../../src/adapters/git/mirror/mirror.ts";
import { createGit } from "../../../src/adapters/git/run/git.ts";
import { createRepositoryGit } from "../../../src/adapters/git/run/repository-git.ts";
import { createGitWorkspace } from "../../../src/adapters/git/workspace.ts";
import type { Sha } from "../../../src/core/ids.ts";
import type { Remote } from "../../../src/ports/remote.ts";
import { type Fault, type GitServer, serveGit } from "../../support/git-http.ts";
import { git, tempFolder } from "../../support/git-repo.ts";

const ONE = "refs/heads/loom/r/one";
const TWO = "refs/heads/loom/r/two";

type Bench = {
  readonly server: GitServer;
  readonly remote: Remote;
  readonly base: Sha;
  /** A commit on the base that only the mirror has. */
  make(text: string): Promise<Sha>;
};

async function bench(): Promise<Bench> {
  const server = await serveGit();
  server.tokens.add("token");
  const program = createGit();
  const path = join(tempFolder(), "m.git");
  const mirror = await openMirror({ program, path, url: server.url, credentials: async () => "token" });
  const repository = createRepositoryGit(program, mirror.repository);
  const workspace = createGitWorkspace({ git: repository, treesRoot: join(tempFolder(), "trees") });
  const refs = await mirror.remote.fetchRefs(["refs/heads/main"]);
  const base = refs.get("refs/heads/main") ?? "";
  const make = (text: string): Promise<Sha> =>
    workspace.commitFiles({ base, files: { "work.txt": text }, message: "Work\n" });
  return { server, remote: mirror.remote, base, make };
}

/** Only the request that carries the push. */
function onPush(fault: ReturnType<Fault>): Fault {
  return ({ url, method }) => (method === "POST" && url?.endsWith("/git-receive-pack") ? fault : null);
}

describe("a push", () => {
  it("makes, moves and deletes branches, several at once", async () => {
    const { server, remote, base, make } = await bench();
    const [one, two] = [await make("1"), await make("2")];
    const created = await remote.push([
      { ref: ONE, to: one, expected: null },
      { ref: TWO, to: one, expected: null },
    ]);
    expect(created).toEqual({ kind: "pushed" });
    // Not a descendant: the lease stands in for the rule that branches only grow.
    const moved = await remote.push([
      { ref: ONE, to: two, expected: one },
      { ref: TWO, to: null, expected: one },
    ]);
    expect(moved).toEqual({ kind: "pushed" });
    expect(server.refs()).toEqual({ "refs/heads/main": base, [ONE]: two });
    expect(git(server.folder, "show", `${two}:work.txt`)).toBe("2");
  });

  it("may be larger than what goes into one request at once", async () => {
    const { server, remote, make } = await bench();
    const large = await make(randomBytes(1_500_000).toString("base64"));
    expect(await remote.push([{ ref: ONE, to: large, expected: null }])).toEqual({ kind: "pushed" });
    expect(server.refs()[ONE]).toBe(large);
  });

  it("is done when there is nothing to do, or when it was done before", async () => {
    const { server, remote, make } = await bench();
    const one = await make("1");
    expect(await remote.push([])).toEqual({ kind: "pushed" });
    expect(await remote.push([{ ref: ONE, to: null, expected: null }])).toEqual({ kind: "pushed" });
    const updates = [
      { ref: ONE, to: one, expected: null },
      { ref: TWO, to: null, expected: one },
    ];
    expect(await remote.push(updates)).toEqual({ kind: "pushed" });
    expect(await remote.push(updates)).toEqual({ kind: "pushed" });
    expect(Object.keys(server.refs())).toEqual([ONE, "refs/heads/main"]);
  });

  it("never goes over a person's commit, and leaves the others alone too", async () => {
    const { server, remote, base, make } = await bench();
    const [one, two] = [await make("1"), await make("2")];
    await remote.push([{ ref: ONE, to: one, expected: null }]);
    server.person.commit("by hand");
    const theirs = server.publish("loom/r/one");
    const outcome = await remote.push([
      { ref: ONE, to: two, expected: one },
      { ref: TWO, to: two, expected: null },
    ]);
    expect(outcome).toEqual({ kind: "stale", refs: [ONE] });
    expect(server.refs()).toEqual({ "refs/heads/main": base, [ONE]: theirs });
    expect(await remote.push([{ ref: ONE, to: null, expected: one }])).toEqual({
      kind: "stale",
      refs: [ONE],
    });
    expect(await remote.push([{ ref: ONE, to: two, expected: null }])).toEqual({
      kind: "stale",
      refs: [ONE],
    });
    expect(server.refs()[ONE]).toBe(theirs);
  });

  it("does not bring back a branch that a person deleted", async () => {
    const { server, remote, make } = await bench();
    const [one, two] = [await make("1"), await make("2")];
    await remote.push([{ ref: ONE, to: one, expected: null }]);
    git(server.folder, "update-ref", "-d", ONE);
    expect(await remote.push([{ ref: ONE, to: two, expected: one }])).toEqual({ kind: "stale", refs: [ONE] });
    expect(Object.keys(server.refs())).toEqual(["refs/heads/main"]);
  });

  it("that the other side's rules forbid is told in its own words", async () => {
    const { server, remote, make } = await bench();
    const one = await make("1");
    server.preReceive(
      'printf "error: GH006: Protected branch update failed.\\n\\033[31mAsk an owner.\\033[0m\\n"; exit 1',
    );
    const outcome = await remote.push([
      { ref: ONE, to: one, expected: null },
      { ref: TWO, to: one, expected: null },
    ]);
    expect(outcome.kind === "refused" && outcome.reason).toMatchInlineSnapshot(`
      "error: GH006: Protected branch update failed.
      Ask an owner.
      pre-receive hook declined"
    `);
    expect(Object.keys(server.refs())).toEqual(["refs/heads/main"]);
  });

  it("that is not allowed at all is refused, and a server in trouble is not", async () => {
    const { server, remote, make } = await bench();
    const updates = [{ ref: ONE, to: await make("1"), expected: null }];
    const isPush: Fault = ({ url }) => (url?.includes("git-receive-pack") ? { status: 403 } : null);
    server.fault = isPush;
    expect(await remote.push(updates)).toEqual({ kind: "refused", reason: "Writing is not allowed." });
    server.fault = onPush({ status: 503 });
    await expect(remote.push(updates)).rejects.toThrow(/failed to run git push .*503/s);
    expect(Object.keys(server.refs())).toEqual(["refs/heads/main"]);
  });

  it("whose answer was lost after it took effect counts as done, and is not sent twice", async () => {
    const { server, remote, make } = await bench();
    const one = await make("1");
    server.fault = onPush({ afterwards: 502 });
    server.requests.length = 0;
    const updates = [
      { ref: ONE, to: one, expected: null },
      { ref: TWO, to: one, expected: null },
    ];
    expect(await remote.push(updates)).toEqual({ kind: "pushed" });
    expect(server.refs()).toMatchObject({ [ONE]: one, [TWO]: one });
    expect(server.requests.filter(({ path }) => path.endsWith("/git-receive-pack"))).toHaveLength(1);
  });

  it("that got lost on the way is sent again", async () => {
    const { server, remote, make } = await bench();
    const one = await make("1");
    let isFirst = true;
    server.fault = (request) => {
      const fault = isFirst ? onPush({ status: 502 })(request) : null;
      if (fault !== null) isFirst = false;
      return fault;
    };
    expect(await remote.push([{ ref: ONE, to: one, expected: null }])).toEqual({ kind: "pushed" });
    expect(server.refs()[ONE]).toBe(one);
  });

  it("goes branch by branch where the other side can't do all or nothing", async () => {
    const { server, remote, make } = await bench();
    git(server.folder, "config", "receive.advertiseAtomic", "false");
    const one = await make("1");
    const outcome = await remote.push([
      { ref: ONE, to: one, expected: null },
      { ref: TWO, to: one, expected: null },
    ]);
    expect(outcome).toEqual({ kind: "pushed" });
    expect(server.refs()).toMatchObject({ [ONE]: one, [TWO]: one });
  });

  it("shows no token to who lists the processes of this machine", async () => {
    const { server, remote, make } = await bench();
    let seen = "";
    server.fault = ({ url }) => {
      if (url?.includes("git-receive-pack"))
        seen += execFileSync("ps", ["-axo", "args"], { encoding: "utf8" });
      return null;
    };
    server.tokens.add("token");
    await remote.push([{ ref: ONE, to: await make("1"), expected: null }]);
    expect(seen).toContain(server.url);
    expect(seen).not.toContain(Buffer.from("x-access-token:token").toString("base64"));
  });
});
