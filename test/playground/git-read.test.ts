import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { mintUserToken } from "../../playground/model/apps/mint-token.ts";
import { suspend } from "../../playground/model/apps/suspend.ts";
import { uninstall } from "../../playground/model/apps/uninstall.ts";
import { setRole } from "../../playground/model/people/set-role.ts";
import { aGitServer, CONTENTS, type GitServer } from "./a-git-server.ts";

let url: GitServer["url"];
let root: GitServer["root"];
let world: GitServer["world"];
let repository: GitServer["repository"];
let other: GitServer["other"];
let installation: GitServer["installation"];
let now: GitServer["now"];
let step: GitServer["step"];
let token: GitServer["token"];
let address: GitServer["address"];
let git: GitServer["git"];
let cloneWith: GitServer["cloneWith"];
let tip: GitServer["tip"];

beforeEach(async () => {
  const server = await aGitServer();
  ({ url, root, world, repository, other, installation, now, step, token, address, git, cloneWith, tip } =
    server);
  return server.close;
});

describe("reading over HTTP", () => {
  it("clones with a token that may read contents, and fetches what came later", async () => {
    const folder = await cloneWith({}, address(token({ contents: "read" })));
    expect(readFileSync(join(folder, "README.md"), "utf8")).toBe("hello\n");
    const tree = { parent: await tip("main"), files: { "b.txt": "b" }, message: "b" };
    const sha = await world.git.commitFiles(repository.gitDir, {
      ...tree,
      author: { name: "A", email: "a@b.c", at: now() },
    });
    await world.git.updateRef(repository.gitDir, "refs/heads/next", sha, null);
    expect((await git(folder, "fetch", "origin")).text).toContain("next");
    expect((await git(folder, "rev-parse", "origin/next")).text.trim()).toBe(sha);
  });

  it("speaks protocol 2 when asked, and the old one, too", async () => {
    for (const version of ["0", "2"]) {
      const { text } = await git(root, "-c", `protocol.version=${version}`, "ls-remote", address(token()));
      expect(text).toContain(`${await tip("main")}\trefs/heads/main`);
    }
    const headers = { "git-protocol": "version=2", authorization: `Basic ${btoa(`x:${token()}`)}` };
    const answer = await fetch(`${url}/acme/app.git/info/refs?service=git-upload-pack`, { headers });
    expect(await answer.text()).toContain("version 2");
  });

  it("gives a single commit by its id, also one that no branch holds", async () => {
    const work = {
      parent: null,
      files: { x: "1" },
      message: "x",
      author: { name: "A", email: "a@b.c", at: now() },
    };
    const sha = await world.git.commitFiles(repository.gitDir, work);
    const folder = await cloneWith({});
    expect(await git(folder, "fetch", "--depth=1", "origin", sha)).toMatchObject({ code: 0 });
  });

  it("serves public repositories to everybody, for reading only", async () => {
    repository.private = false;
    const folder = await cloneWith({ "b.txt": "b" }, address(null));
    const pushed = await git(folder, "push", "origin", "HEAD:refs/heads/b");
    expect(pushed.code).not.toBe(0);
    expect(await tip("b")).toBeNull();
  });

  it("asks for a token where there is none", async () => {
    const answer = await fetch(`${url}/acme/app.git/info/refs?service=git-upload-pack`);
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, 'Basic realm="GitHub"']);
  });

  it("does not speak the dumb protocol", async () => {
    expect((await fetch(`${url}/acme/app.git/info/refs`)).status).toBe(403);
    expect((await fetch(`${url}/acme/app.git/HEAD`)).status).toBe(404);
  });

  it("keeps a record of each request with who asked", async () => {
    await cloneWith({});
    expect(
      world.github.requests.map(({ method, path, actor, status }) => `${method} ${path} ${actor} ${status}`),
    ).toMatchInlineSnapshot(`
      [
        "GET /acme/app.git/info/refs anonymous 401",
        "GET /acme/app.git/info/refs loom[bot] 200",
        "POST /acme/app.git/git-upload-pack loom[bot] 200",
        "POST /acme/app.git/git-upload-pack loom[bot] 200",
      ]
    `);
  });
});

describe("tokens", () => {
  it.each([
    ["is unknown", () => "ghs_nope", "Authentication failed"],
    ["has expired", () => expired(), "Authentication failed"],
    ["is for another repository", () => token(CONTENTS, [other.id]), "not found"],
    ["may not read contents", () => token({ checks: "write" }), "not found"],
    ["belongs to a removed installation", () => lost("removed"), "Authentication failed"],
    ["belongs to a suspended installation", () => lost("suspended"), "403"],
    ["is a stranger's", () => mintUserToken(world, "mallory").value, "not found"],
  ])("do not open a private repository when one %s", async (_why, secret, says) => {
    const { code, text } = await git(root, "ls-remote", address(secret()));
    expect(code).toBe(128);
    expect(text).toContain(says);
  });

  function expired(): string {
    const value = token();
    step(60 * 60 * 1000);
    return value;
  }

  function lost(how: "suspended" | "removed"): string {
    const value = token();
    if (how === "suspended") suspend(world, installation);
    else uninstall(world, installation);
    return value;
  }

  it("that may only read can't push, and say so", async () => {
    const folder = await cloneWith({ "b.txt": "b" }, address(token({ contents: "read" })));
    const { code, text } = await git(folder, "push", "origin", "HEAD:refs/heads/b");
    expect([code, text.includes("Write access to repository not granted.")]).toEqual([128, true]);
  });

  it("of people count by their role", async () => {
    setRole(world, repository, { login: "ann", role: "write" });
    setRole(world, repository, { login: "tom", role: "triage" });
    const ann = await cloneWith({ "b.txt": "b" }, address(mintUserToken(world, "ann").value, "ann"));
    expect(await git(ann, "push", "origin", "HEAD:refs/heads/ann")).toMatchObject({ code: 0 });
    const tom = await cloneWith({ "b.txt": "b" }, address(mintUserToken(world, "tom").value));
    const { text } = await git(tom, "push", "origin", "HEAD:refs/heads/tom");
    expect(text).toContain("Permission to acme/app.git denied to tom.");
    expect(await tip("tom")).toBeNull();
  });
});
