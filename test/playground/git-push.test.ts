import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { mintUserToken } from "../../playground/model/apps/mint-token.ts";
import { openPull } from "../../playground/model/pulls/open-pull.ts";
import { aGitServer, CONTENTS, type GitServer } from "./a-git-server.ts";

let url: GitServer["url"];
let world: GitServer["world"];
let repository: GitServer["repository"];
let changes: GitServer["changes"];
let token: GitServer["token"];
let address: GitServer["address"];
let git: GitServer["git"];
let cloneWith: GitServer["cloneWith"];
let head: GitServer["head"];
let tip: GitServer["tip"];

beforeEach(async () => {
  const server = await aGitServer();
  ({ url, world, repository, changes, token, address, git, cloneWith, head, tip } = server);
  return server.close;
});

describe("pushing over HTTP", () => {
  it("moves branches and tells the model who did it", async () => {
    const folder = await cloneWith({ "b.txt": "b" });
    const before = await tip("main");
    expect(
      await git(folder, "push", "origin", "HEAD:main", "HEAD:refs/heads/new", "HEAD:refs/tags/v1"),
    ).toMatchObject({ code: 0 });
    const after = await head(folder);
    expect(await tip("main")).toBe(after);
    const pushes = changes.filter(({ event }) => event === "push");
    expect(pushes.map(({ sender, subject }) => ({ sender, ...subject }))).toEqual([
      { sender: "loom[bot]", ref: "refs/heads/main", before, after, forced: false },
      { sender: "loom[bot]", ref: "refs/heads/new", before: null, after, forced: false },
      { sender: "loom[bot]", ref: "refs/tags/v1", before: null, after, forced: false },
    ]);
    expect(await git(folder, "push", "origin", ":new")).toMatchObject({ code: 0 });
    expect(await tip("new")).toBeNull();
    expect(changes.at(-1)).toMatchObject({ event: "push", subject: { before: after, after: null } });
  });

  it("moves the head of an open pull request", async () => {
    const folder = await cloneWith({ "b.txt": "b" });
    await git(folder, "push", "origin", "HEAD:refs/heads/topic");
    const issue = await openPull(world, repository, { by: "acme", title: "T", head: "topic", base: "main" });
    await git(folder, "commit", "--quiet", "--allow-empty", "-m", "More");
    await git(folder, "push", "origin", "HEAD:refs/heads/topic");
    expect(issue.pull.headSha).toBe(await head(folder));
    expect(changes.some(({ event, action }) => event === "pull_request" && action === "synchronize")).toBe(
      true,
    );
    expect((await git(folder, "ls-remote", "origin", "refs/pull/*")).text).toContain(
      `refs/pull/${issue.number}/head`,
    );
    expect((await git(folder, "push", "origin", `HEAD:refs/pull/${issue.number}/head`)).text).toContain(
      "hidden ref",
    );
  });

  it("takes large packs in chunks, and many refs at once", async () => {
    const bytes = Buffer.alloc(3 << 20);
    for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE((at * 2654435761) >>> 0, at);
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`many/${n}.txt`, `${n}\n`]));
    const folder = await cloneWith({ "large.bin": bytes, ...many });
    expect(await git(folder, "push", "origin", "HEAD:refs/heads/large")).toMatchObject({ code: 0 });
    expect((await world.git.entry(repository.gitDir, "large", "large.bin"))?.kind).toBe("file");
    const names = Array.from({ length: 20 }, (_, n) => `HEAD:refs/heads/a-rather-long-name-of-a-branch/${n}`);
    expect(await git(folder, "push", "origin", ...names)).toMatchObject({ code: 0 });
    expect(await world.git.refs(repository.gitDir, "refs/heads/a-rather")).toHaveLength(20);
    expect((await git(await cloneWith({}), "fsck")).code).toBe(0);
  });

  it("reads bodies that are zipped", async () => {
    await world.git.updateRef(repository.gitDir, "refs/heads/old", await tip("main"), null);
    const headers = { authorization: `Basic ${btoa(`x:${token()}`)}`, "content-encoding": "gzip" };
    const send = async (
      service: string,
      body: string,
      more: Record<string, string> = {},
    ): Promise<string> => {
      const init = { method: "POST", headers: { ...headers, ...more }, body: gzipSync(body) };
      return await (await fetch(`${url}/acme/app.git/${service}`, init)).text();
    };
    const type = { "git-protocol": "version=2", "content-type": "application/x-git-upload-pack-request" };
    expect(await send("git-upload-pack", "0014command=ls-refs\n0000", type)).toContain("refs/heads/old");
    const line = `${await tip("main")} ${"0".repeat(40)} refs/heads/old\0report-status`;
    const packet = `${(line.length + 4).toString(16).padStart(4, "0")}${line}0000`;
    expect(await send("git-receive-pack", packet)).toContain("ok refs/heads/old");
    expect(await tip("old")).toBeNull();
  });

  it("refuses a workflow of an App without that permission, for that ref alone, in GitHub's words", async () => {
    const folder = await cloneWith({ ".github/workflows/ci.yml": "on: pull_request\n" });
    await git(folder, "branch", "fine", "origin/main");
    const { code, text } = await git(folder, "push", "origin", "HEAD:refs/heads/bad", "fine");
    expect(code).toBe(1);
    expect(
      text
        .split("\n")
        .filter((line) => /^ [!*]/.test(line))
        .join("\n"),
    ).toMatchInlineSnapshot(`
      " * [new branch]      fine -> fine
       ! [remote rejected] HEAD -> bad (refusing to allow a GitHub App to create or update workflow \`.github/workflows/ci.yml\` without \`workflows\` permission)"
    `);
    expect([await tip("bad"), await tip("fine")]).toEqual([null, await tip("main")]);
  });

  it("looks for workflows in every commit, not only in the last", async () => {
    const folder = await cloneWith({ ".github/workflows/new.yml": "on: push\n" });
    await git(folder, "rm", "--quiet", ".github/workflows/new.yml");
    await git(folder, "commit", "--quiet", "-m", "Hide it");
    expect((await git(folder, "push", "origin", "HEAD:refs/heads/bad")).text).toContain(
      "refusing to allow a GitHub App",
    );
  });

  it("takes workflows from an App with that permission, from people, and those that are there already", async () => {
    const change = { ".github/workflows/ci.yml": "on: pull_request\n" };
    const app = await cloneWith(change, address(token({ ...CONTENTS, workflows: "write" })));
    expect(await git(app, "push", "origin", "HEAD:main")).toMatchObject({ code: 0 });
    const person = await cloneWith(
      { ".github/workflows/b.yml": "on: push\n" },
      address(mintUserToken(world, "acme").value),
    );
    expect(await git(person, "push", "origin", "HEAD:refs/heads/person")).toMatchObject({ code: 0 });
    const later = await cloneWith({ "b.txt": "b" });
    await git(later, "merge", "--quiet", "--no-edit", "origin/person");
    expect(await git(later, "push", "origin", "HEAD:refs/heads/later")).toMatchObject({ code: 0 });
  });

  it("keeps the history of protected branches and the default branch", async () => {
    const free = {
      requiredChecks: [],
      strict: false,
      requiredApprovals: 0,
      dismissStaleReviews: false,
      codeOwnerReviews: false,
      mergeQueue: false,
      linearHistory: false,
    };
    repository.protection.set("main", { ...free });
    const folder = await cloneWith({ "b.txt": "b" });
    expect(await git(folder, "push", "origin", "HEAD:main")).toMatchObject({ code: 0 });
    await git(folder, "commit", "--quiet", "--amend", "-m", "Other");
    const forced = await git(folder, "push", "--force", "origin", "HEAD:main");
    expect(
      forced.text
        .split("\n")
        .filter((line) => /remote|!/.test(line))
        .map((line) => line.trimEnd()),
    ).toMatchInlineSnapshot(`
      [
        "remote: error: GH006: Protected branch update failed for refs/heads/main.",
        "remote: error: Cannot force-push to this branch",
        " ! [remote rejected] HEAD -> main (protected branch hook declined)",
      ]
    `);
    expect((await git(folder, "push", "origin", ":main")).text).toContain(
      "refusing to delete the current branch",
    );
    repository.protection.set("main", { ...free, requiredApprovals: 1 });
    await git(folder, "reset", "--quiet", "--hard", "origin/main");
    await git(folder, "commit", "--quiet", "--allow-empty", "-m", "Direct");
    expect((await git(folder, "push", "origin", "HEAD:main")).text).toContain(
      "Changes must be made through a pull request.",
    );
    repository.protection.set("main", { ...free, requiredChecks: ["ci"] });
    expect((await git(folder, "push", "origin", "HEAD:main")).text).toContain(
      'Required status check "ci" is expected.',
    );
  });

  it("lets one of two forced pushes with a lease win", async () => {
    const folders = await Promise.all([1, 2, 3].map((n) => cloneWith({ "b.txt": `${n}` })));
    const base = await tip("main");
    const results = await Promise.all(
      folders.map((folder) => git(folder, "push", `--force-with-lease=main:${base}`, "origin", "HEAD:main")),
    );
    expect(results.map(({ code }) => code).sort()).toEqual([0, 1, 1]);
    expect(changes.filter(({ event }) => event === "push")).toHaveLength(1);
  });

  it("takes many pushes to different branches at once", async () => {
    const folder = await cloneWith({ "b.txt": "b" });
    const names = Array.from({ length: 8 }, (_, n) => `many-${n}`);
    const results = await Promise.all(
      names.map((name) => git(folder, "push", "origin", `HEAD:refs/heads/${name}`)),
    );
    expect(results.every(({ code }) => code === 0)).toBe(true);
    expect((await world.git.refs(repository.gitDir, "refs/heads/many-")).length).toBe(8);
    expect(changes.filter(({ event }) => event === "push")).toHaveLength(8);
  });

  it("does all or nothing when asked to be atomic", async () => {
    const folder = await cloneWith({ ".github/workflows/ci.yml": "on: pull_request\n" });
    await git(folder, "branch", "fine", "origin/main");
    const { text } = await git(folder, "push", "--atomic", "origin", "HEAD:refs/heads/bad", "fine");
    expect(text).toContain("atomic push fail");
    expect(await tip("fine")).toBeNull();
  });

  it("refuses names that git could not keep", async () => {
    const names = [
      "refs/heads/a..b",
      "refs/heads/.a",
      "refs/heads/a.lock",
      "refs/heads/a b",
      "heads/a",
      "refs/heads/",
      "HEAD",
    ];
    const main = await tip("main");
    const lines = names.map(
      (ref, n) => `${"0".repeat(40)} ${main} ${ref}${n === 0 ? "\0report-status" : ""}`,
    );
    const packets = lines.map((line) => `${(line.length + 4).toString(16).padStart(4, "0")}${line}`).join("");
    const empty = Buffer.from("5041434b0000000200000000029d08823bd8a8eab510ad6ac75c823cfd3ed31e", "hex");
    const headers = { authorization: `Basic ${btoa(`x:${token()}`)}` };
    const body = Buffer.concat([Buffer.from(`${packets}0000`), empty]);
    const answer = await fetch(`${url}/acme/app.git/git-receive-pack`, { method: "POST", headers, body });
    const text = await answer.text();
    expect(names.filter((name) => !text.includes(`ng ${name} funny refname`))).toEqual([]);
    expect(await world.git.refs(repository.gitDir, "refs/")).toHaveLength(1);
  });

  it("refuses a pack that is broken or lacks objects, and moves nothing", async () => {
    const sha = "1".repeat(40);
    const line = `${"0".repeat(40)} ${sha} refs/heads/bad\0report-status`;
    const packet = `${(line.length + 4).toString(16).padStart(4, "0")}${line}0000`;
    const send = async (pack: Buffer): Promise<string> => {
      const headers = { authorization: `Basic ${btoa(`x:${token()}`)}` };
      const body = Buffer.concat([Buffer.from(packet), pack]);
      return await (
        await fetch(`${url}/acme/app.git/git-receive-pack`, { method: "POST", headers, body })
      ).text();
    };
    expect(await send(Buffer.from("PACK"))).toContain("ng refs/heads/bad unpacker error");
    const empty = Buffer.from("5041434b0000000200000000029d08823bd8a8eab510ad6ac75c823cfd3ed31e", "hex");
    expect(await send(empty)).toContain("missing necessary objects");
    expect(await tip("bad")).toBeNull();
  });
});
