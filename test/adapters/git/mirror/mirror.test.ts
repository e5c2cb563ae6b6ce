import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Mirror, openMirror } from "../../../../src/adapters/git/mirror/mirror.ts";
import { createGit, type GitLogEntry } from "../../../../src/adapters/git/run/git.ts";
import { createRepositoryGit } from "../../../../src/adapters/git/run/repository-git.ts";
import { createGitWorkspace } from "../../../../src/adapters/git/workspace.ts";
import type { Workspace } from "../../../../src/ports/workspace.ts";
import { type GitServer, listenForTokens, serveGit } from "../../../support/git-http.ts";
import { commitFiles, git, makeTrap, tempFolder } from "../../../support/git-repo.ts";

const TOKEN = "ghs_SENTINEL0123456789";
const MAIN = "refs/heads/main";

type Bench = Mirror & {
  readonly path: string;
  readonly workspace: Workspace;
  readonly log: GitLogEntry[];
  /** How often a token was asked for. */
  readonly asked: () => number;
};

async function mirrorOf(
  server: GitServer,
  more: { token?: () => string; path?: string } = {},
): Promise<Bench> {
  server.tokens.add(TOKEN);
  const log: GitLogEntry[] = [];
  const program = createGit({ log: (entry) => log.push(entry) });
  const path = more.path ?? join(tempFolder(), "mirrors", "r1.git");
  let asked = 0;
  const mirror = await openMirror({
    program,
    path,
    url: server.url,
    async credentials() {
      asked += 1;
      return more.token?.() ?? TOKEN;
    },
  });
  const repoGit = createRepositoryGit(program, mirror.repository);
  const workspace = createGitWorkspace({ git: repoGit, treesRoot: join(tempFolder(), "trees") });
  return { ...mirror, path, workspace, log, asked: () => asked };
}

/** Every file below a folder whose bytes hold the text. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}

function bytesSent(server: GitServer): number {
  return server.requests.reduce((sum, { sent }) => sum + sent, 0);
}

describe("fetching into a mirror", () => {
  it("needs no clone: the first fetch brings what a branch holds, and work trees stand on it", async () => {
    const server = await serveGit({ "a.txt": "a\n", "dir/b.txt": "b\n" });
    const { remote, workspace, repository } = await mirrorOf(server);
    const refs = await remote.fetchRefs([MAIN, "refs/heads/none"]);
    expect(refs).toEqual(new Map([[MAIN, server.person.sha("HEAD")]]));
    expect(repository.root).toBeNull();
    const base = refs.get(MAIN) ?? "";
    expect(await workspace.has(base)).toBe(true);
    const tree = await workspace.open(base);
    expect(git(tree.path, "status", "--porcelain")).toBe("");
    expect(git(tree.path, "log", "--format=%s")).toBe("start");
    const commit = await commitFiles(workspace, base, { "a.txt": "changed\n" });
    expect(await workspace.changedFiles(base, commit)).toEqual(["a.txt"]);
    expect(git(repository.gitDir, "log", "-1", "--format=%an <%ae>", commit)).toBe("Loom <loom@localhost>");
    await workspace.dispose();
  });

  it("asks only for what is new the next time, and for nothing when all is here", async () => {
    const server = await serveGit({ "large.bin": randomBytes(100_000).toString("base64") });
    const { remote, log, asked, workspace } = await mirrorOf(server);
    await remote.fetchRefs([MAIN]);
    server.person.write({ "new.txt": "n\n" });
    server.person.commit();
    const tip = server.publish("main");
    const all = bytesSent(server);
    server.requests.length = 0;
    await remote.fetchRefs([MAIN]);
    expect(await workspace.readFile(tip, "new.txt", 10)).toBe("n\n");
    expect(all).toBeGreaterThan(100_000);
    expect(bytesSent(server)).toBeLessThan(5_000);
    log.length = 0;
    const askedBefore = asked();
    expect(await remote.fetchRefs([MAIN])).toEqual(new Map([[MAIN, tip]]));
    expect(log.filter(({ args }) => args[0] === "fetch")).toEqual([]);
    expect(await remote.fetchCommits([tip])).toEqual([]);
    expect(asked()).toBe(askedBefore + 1);
  });

  it("follows a branch that was rewound, replaced by a folder of branches, or deleted", async () => {
    const server = await serveGit();
    const { remote } = await mirrorOf(server);
    const first = server.publish("loom/run");
    server.person.commit("second");
    const second = server.publish("main");
    expect(await remote.fetchRefs(["refs/heads/loom/run", MAIN])).toEqual(
      new Map([
        ["refs/heads/loom/run", first],
        [MAIN, second],
      ]),
    );
    git(server.folder, "update-ref", "-d", "refs/heads/loom/run");
    server.publish("loom/run/stage", first);
    server.publish("main", first);
    const refs = ["refs/heads/loom/run", "refs/heads/loom/run/stage", MAIN];
    expect(await remote.fetchRefs(refs)).toEqual(
      new Map([
        ["refs/heads/loom/run/stage", first],
        [MAIN, first],
      ]),
    );
  });

  it("lists refs below prefixes and no others", async () => {
    const server = await serveGit();
    const sha = server.publish("loom/run/one");
    server.publish("loom/run.plan");
    server.publish("loom/running");
    server.publish("x/refs/heads/loom/run/y");
    git(server.folder, "update-ref", "refs/pull/1/head", sha);
    const { remote, repository } = await mirrorOf(server);
    expect([...(await remote.list(["refs/heads/loom/run/", "refs/heads/loom/run."])).keys()]).toEqual([
      "refs/heads/loom/run.plan",
      "refs/heads/loom/run/one",
    ]);
    expect(await remote.list(["refs/pull/"])).toEqual(new Map([["refs/pull/1/head", sha]]));
    expect(await remote.list(["refs/heads/nothing/"])).toEqual(new Map());
    expect(git(repository.gitDir, "for-each-ref")).toBe("");
  });

  it("gets commits by name and says which can't be had", async () => {
    const server = await serveGit();
    const { remote, workspace } = await mirrorOf(server);
    const base = server.person.sha("HEAD");
    server.person.commit("only here");
    const local = server.person.sha("HEAD");
    const nowhere = "1".repeat(40);
    expect(await remote.fetchCommits([local, base, nowhere])).toEqual(
      expect.arrayContaining([local, nowhere]),
    );
    expect(await workspace.has(base)).toBe(true);
    expect(await workspace.has(local)).toBe(false);
    expect(await workspace.has(server.person.sha(`${base}^{tree}`))).toBe(false);
  });

  it("completes a commit whose files a killed fetch did not bring", async () => {
    const server = await serveGit({ "a.txt": "a\n" });
    const { remote, repository, path } = await mirrorOf(server);
    const base = server.person.sha("HEAD");
    await remote.fetchCommits([base]);
    const blob = server.person.sha("HEAD:a.txt");
    rmSync(join(repository.objectsDir, blob.slice(0, 2), blob.slice(2)));
    const later = await mirrorOf(server, { path });
    expect(await later.remote.fetchCommits([base])).toEqual([]);
    expect(await later.workspace.readFile(base, "a.txt", 10)).toBe("a\n");
  });

  it("is not disturbed by a work tree that is half made, or spoiled", async () => {
    const server = await serveGit();
    const { remote, workspace, path } = await mirrorOf(server);
    const base = (await remote.fetchRefs([MAIN])).get(MAIN) ?? "";
    await workspace.open(base);
    writeFileSync(join(path, "worktrees/1/HEAD"), `${"0".repeat(40)}\n`);
    server.person.commit("later");
    const tip = server.publish("main");
    expect(await remote.fetchRefs([MAIN])).toEqual(new Map([[MAIN, tip]]));
    const update = { ref: "refs/heads/loom/r/s", to: tip, expected: null };
    expect(await remote.push([update])).toEqual({ kind: "pushed" });
  });

  it("says that a repository without commits has none", async () => {
    const server = await serveGit("empty");
    const { remote } = await mirrorOf(server);
    expect(await remote.list(["refs/heads/"])).toEqual(new Map());
    await expect(remote.fetchRefs([MAIN])).rejects.toMatchObject({
      name: "UserError",
      message: `The repository ${server.url} has no commits yet.`,
      next: "Push a first commit to it and try again.",
    });
  });

  it("serves many who fetch at the same time", async () => {
    const server = await serveGit();
    const path = join(tempFolder(), "m.git");
    const benches = await Promise.all([mirrorOf(server, { path }), mirrorOf(server, { path })]);
    const tip = server.person.sha("HEAD");
    const answers = await Promise.all(
      [...benches, ...benches].map(({ remote }) => remote.fetchRefs([MAIN, "refs/heads/gone"])),
    );
    for (const answer of answers) expect(answer).toEqual(new Map([[MAIN, tip]]));
  });

  it("refuses names that git could read as something else", async () => {
    const { remote } = await mirrorOf(await serveGit());
    for (const ref of ["main", "refs/heads/x:refs/heads/y", "refs/heads/*", "--upload-pack=x", "refs/a b"]) {
      await expect(remote.fetchRefs([ref]), ref).rejects.toThrow(/is not the name of a ref/);
    }
    await expect(remote.fetchCommits(["main"])).rejects.toThrow(/is not an object name/);
  });
});

describe("a token", () => {
  it("that ended early is replaced once, and the call goes through (F17)", async () => {
    const server = await serveGit();
    let token = "old-token";
    const { remote } = await mirrorOf(server, {
      token: () => {
        const now = token;
        token = TOKEN;
        return now;
      },
    });
    expect((await remote.list([MAIN])).size).toBe(1);
  });

  it("is asked for each time, so that a new one takes over when the old one has expired", async () => {
    const server = await serveGit();
    let token = "old-token";
    server.tokens.add(token);
    const { remote, asked } = await mirrorOf(server, { token: () => token });
    await remote.list([MAIN]);
    server.tokens.delete("old-token");
    await expect(remote.list([MAIN])).rejects.toMatchObject({
      name: "UserError",
      message: `${server.url} does not accept Loom's token.`,
    });
    token = TOKEN;
    expect((await remote.list([MAIN])).size).toBe(1);
    // The one that was refused was asked for twice.
    expect(asked()).toBe(4);
  });

  it("is found nowhere: not on disk, not in the log, not in what is said about a failure", async () => {
    const server = await serveGit();
    const bench = await mirrorOf(server);
    const base = (await bench.remote.fetchRefs([MAIN])).get(MAIN) ?? "";
    const commit = await commitFiles(bench.workspace, base, { "a.txt": "a\n" });
    const ref = "refs/heads/loom/r/s";
    expect(await bench.remote.push([{ ref, to: commit, expected: null }])).toEqual({ kind: "pushed" });
    server.preReceive(`echo "you sent ${TOKEN}"; exit 1`);
    const refused = await bench.remote.push([{ ref, to: null, expected: commit }]);
    expect(refused).toMatchObject({ kind: "refused", reason: expect.stringContaining("you sent [token]") });
    server.fault = () => ({ status: 500, body: TOKEN });
    const failure = await bench.remote.list([MAIN]).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: "GitFailure" });
    const encoded = Buffer.from(`x-access-token:${TOKEN}`).toString("base64");
    for (const secret of [TOKEN, encoded]) {
      expect(filesWith(join(bench.path, ".."), secret)).toEqual([]);
      expect(JSON.stringify(bench.log)).not.toContain(secret);
      expect(JSON.stringify(failure) + String(failure) + (failure as Error).stack).not.toContain(secret);
    }
    expect(server.requests.some(({ authorization }) => authorization === `Basic ${encoded}`)).toBe(true);
    expect(existsSync(join(bench.path, "FETCH_HEAD"))).toBe(false);
    expect(existsSync(join(bench.path, "logs"))).toBe(false);
    for (const config of ["config", "loom/remote/config"]) {
      expect(readFileSync(join(bench.path, config), "utf8")).not.toMatch(/remote|http|url/);
    }
  });

  it("does not follow a redirect", async () => {
    const other = await listenForTokens();
    const server = await serveGit();
    const { remote } = await mirrorOf(server);
    server.fault = ({ url }) => ({ status: 301, headers: { location: `${other.url}${url}` } });
    await expect(remote.fetchRefs([MAIN])).rejects.toMatchObject({
      name: "UserError",
      message: `The repository has moved away from ${server.url}.`,
    });
    expect(other.heard).toEqual([]);
  });

  it("does not follow an address that somebody wrote into the settings, and those are put right", async () => {
    const other = await listenForTokens();
    const trap = makeTrap();
    const server = await serveGit();
    const { remote, path: mirror } = await mirrorOf(server);
    const path = join(mirror, "loom/remote");
    const planted = `[url "${other.url}/"]\n\tinsteadOf = ${server.url}\n[credential]\n\thelper = ${trap.command}\n[core]\n\taskPass = ${trap.command}\n`;
    appendFileSync(join(path, "config"), planted);
    writeFileSync(join(path, "commondir"), `${tempFolder()}\n`);
    expect((await remote.fetchRefs([MAIN])).size).toBe(1);
    expect(readFileSync(join(path, "config"), "utf8")).not.toContain("insteadOf");
    expect(other.heard).toEqual([]);

    // Even for a git that reads the planted address, the token belongs to the right one alone.
    appendFileSync(join(path, "config"), planted);
    const place = { cwd: path, gitDir: path, objects: join(mirror, "objects"), settings: "own" } as const;
    const network = { url: server.url, token: TOKEN };
    const astray = createGit().run({ ...place, network }, { command: "ls-remote" });
    await expect(astray).rejects.toMatchObject({ name: "GitFailure" });
    expect(other.heard).not.toEqual([]);
    expect(other.heard.join("\n")).not.toMatch(/authorization/i);
    server.tokens.clear();
    appendFileSync(join(path, "config"), planted.replace("insteadOf", "ignored"));
    await expect(remote.list([MAIN])).rejects.toThrow("does not accept Loom's token");
    expect(trap.sprung()).toBe(false);
  });

  it.each([
    "http://example.com/a/b.git",
    "https://user:secret@example.com/a/b.git",
    "https://*.example.com/a.git",
    "ssh://git@example.com/a.git",
    "file:///etc",
    "ext::sh -c id",
    "https://example.com/a.git?x=y",
    "https://example.com/../a.git",
  ])("is not taken to %s", async (url) => {
    const options = {
      program: createGit(),
      path: join(tempFolder(), "m.git"),
      credentials: async () => TOKEN,
    };
    const failure = await openMirror({ ...options, url }).catch((error: unknown) => error);
    expect(String(failure)).toMatch(/refused to let git talk to/);
    expect(String(failure)).not.toContain("secret");
  });

  it("is given to no other command, and to no repository but Loom's own", async () => {
    const network = { url: "https://example.com/a.git", token: TOKEN };
    const program = createGit();
    const run = (settings: "own" | "user", command: string) =>
      program.run({ cwd: "/", gitDir: "/nowhere", settings, network }, { command });
    await expect(run("own", "log")).rejects.toThrow(/not a call that Loom makes/);
    await expect(run("user", "fetch")).rejects.toThrow(/needs a git directory of Loom's own/);
  });
});

describe("opening a mirror", () => {
  it("keeps what an earlier process fetched", async () => {
    const server = await serveGit();
    const first = await mirrorOf(server);
    const tip = (await first.remote.fetchRefs([MAIN])).get(MAIN) ?? "";
    const second = await mirrorOf(server, { path: first.path });
    expect(await second.workspace.has(tip)).toBe(true);
  });

  it.each<[string, (path: string) => void]>([
    ["half of a repository", (path) => rmSync(join(path, "objects"), { recursive: true })],
    [
      "a file",
      (path) => {
        rmSync(path, { recursive: true });
        writeFileSync(path, "x");
      },
    ],
    [
      "refs whose commits are gone",
      (path) => {
        rmSync(join(path, "objects"), { recursive: true });
        mkdirSync(join(path, "objects"));
      },
    ],
    ["a torn head", (path) => writeFileSync(join(path, "HEAD"), "")],
  ])("makes a new one in the place of %s", async (_what, damage) => {
    const server = await serveGit();
    const first = await mirrorOf(server);
    await first.remote.fetchRefs([MAIN]);
    damage(first.path);
    const second = await mirrorOf(server, { path: first.path });
    const tip = (await second.remote.fetchRefs([MAIN])).get(MAIN) ?? "";
    expect(await second.workspace.readFile(tip, "README.md", 10)).toBe("hello\n");
    expect(readdirSync(join(first.path, ".."))).toEqual(["r1.git"]);
  });
});
