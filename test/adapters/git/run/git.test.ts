import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createGit, type GitLogEntry } from "../../../../src/adapters/git/run/git.ts";
import type { GitCall } from "../../../../src/ports/git.ts";
import { makeRepo, makeTrap, tempFolder, useEmptyHome } from "../../../support/git-repo.ts";
import { BY_THE_CLOCK } from "../../../support/quickly.ts";

const plain = createGit();

function inRepo(root: string, call: GitCall) {
  return plain.run({ cwd: root, gitDir: join(root, ".git"), workTree: root, settings: "none" }, call);
}

describe("the way to git", () => {
  it.each<[string, GitCall]>([
    ["a setting in another case", { command: "log", options: ["-c"], values: ["Protocol.Ext.Allow=always"] }],
    ["a setting as a pair", { command: "log", options: [["-c", "Protocol.Ext.Allow=always"]] }],
    ["a setting among the values", { command: "log", values: ["-c", "Protocol.Ext.Allow=always"] }],
    ["a setting from the environment", { command: "log", options: ["--config-env=core.pager=X"] }],
    ["a program for the other side", { command: "log", values: ["--upload-pack=touch x"] }],
    ["the same in capitals", { command: "log", options: ["--Upload-Pack=touch x"] }],
    ["a program to run", { command: "log", options: ["--exec=touch x"] }],
    ["another place for git's programs", { command: "log", options: ["--exec-path=/tmp"] }],
    ["another repository", { command: "log", options: ["--git-dir=/tmp"] }],
    ["a diff program", { command: "log", options: ["--ext-diff"] }],
    ["a command as an address", { command: "rev-parse", values: ["ext::sh -c id"] }],
    ["the same in capitals", { command: "rev-parse", options: ["--x=EXT::sh"] }],
    ["an option as a branch", { command: "rev-parse", values: ["--all"] }],
    ["a message file as a value", { command: "commit-tree", values: ["-F/etc/passwd"] }],
    ["an empty value", { command: "rev-parse", values: [""] }],
    ["a zero byte", { command: "rev-parse", values: ["HEAD\0--all"] }],
    ["an option without a dash", { command: "rev-parse", options: ["HEAD"] }],
    ["a command of another kind", { command: "fetch", values: ["origin"] }],
    ["a command that is an option", { command: "-c alias.x=!id x" }],
  ])("refuses %s", async (_what, call) => {
    await expect(inRepo("/", call)).rejects.toThrow(/refused to hand|not a call that Loom makes/);
  });

  it("takes a path behind the dashes as nothing but a path", async () => {
    const repo = makeRepo({
      "--upload-pack=touch x": "a\n",
      "*.txt": "star\n",
      "b.txt": "b\n",
      ":(top)c": "c\n",
    });
    const list = async (path: string): Promise<string> =>
      (await inRepo(repo.root, { command: "ls-files", options: ["-z"], paths: [path] })).stdout;
    expect(await list("--upload-pack=touch x")).toBe("--upload-pack=touch x\0");
    expect(await list("*.txt")).toBe("*.txt\0");
    expect(await list(":(top)c")).toBe(":(top)c\0");
  });

  it("inherits nothing that git would obey", async () => {
    const repo = makeRepo();
    const trap = makeTrap();
    const elsewhere = makeRepo({ "other.txt": "x\n" });
    const hostile = createGit({
      env: {
        PATH: process.env.PATH,
        GIT_DIR: join(elsewhere.root, ".git"),
        GIT_INDEX_FILE: join(elsewhere.root, ".git/index"),
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "core.fsmonitor",
        GIT_CONFIG_VALUE_0: trap.command,
        GIT_EXTERNAL_DIFF: trap.command,
        GIT_PAGER: trap.command,
      },
    });
    for (const settings of ["none", "user"] as const) {
      const place = { cwd: repo.root, gitDir: join(repo.root, ".git"), workTree: repo.root, settings };
      const { stdout } = await hostile.run(place, { command: "ls-files", options: ["-z"] });
      expect(stdout).toBe("README.md\0");
    }
    expect(trap.sprung()).toBe(false);
  });

  it("hands on nothing by which shells, interpreters and the loader take in code", async () => {
    const repo = makeRepo({ "a.txt": "a\n", ".gitattributes": "*.txt filter=env\n" });
    const file = join(tempFolder(), "seen");
    repo.git("config", "filter.env.clean", `env > ${file}; cat`);
    repo.write({ "a.txt": "b\n" });
    const code = [
      "NODE_OPTIONS",
      "NODE_PATH",
      "npm_config_node_options",
      "npm_config_script_shell",
      "BASH_ENV",
    ];
    code.push("ENV", "PYTHONPATH", "PYTHONSTARTUP", "PERL5OPT", "PERL5LIB", "RUBYOPT", "LD_PRELOAD");
    code.push("LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "GIT_SSH_COMMAND", "JAVA_TOOL_OPTIONS");
    const env = { ...Object.fromEntries(code.map((name) => [name, ""])), HTTPS_PROXY: "kept" };
    const place = { cwd: repo.root, gitDir: join(repo.root, ".git"), workTree: repo.root };
    await createGit({ env: { ...env, PATH: process.env.PATH } }).run(
      { ...place, settings: "user" },
      { command: "update-index", options: ["--add"], paths: ["a.txt"] },
    );
    const names = readFileSync(file, "utf8")
      .split("\n")
      .map((line) => line.split("=")[0]);
    expect(names).toContain("HTTPS_PROXY");
    expect(names.filter((name) => code.includes(name ?? ""))).toEqual([]);
  });

  it("fetches nothing that is missing, by whatever program the settings name", async () => {
    const repo = makeRepo();
    const trap = makeTrap();
    repo.git("config", "core.repositoryFormatVersion", "1");
    repo.git("config", "extensions.partialClone", "origin");
    repo.git("config", "remote.origin.promisor", "true");
    repo.git("config", "remote.origin.url", "ssh://localhost/x");
    repo.git("config", "core.sshCommand", trap.command);
    const place = { cwd: repo.root, gitDir: join(repo.root, ".git"), workTree: repo.root };
    const call: GitCall = {
      command: "cat-file",
      options: ["-e"],
      values: ["1".repeat(40)],
      answers: [1, 128],
    };
    for (const settings of ["none", "user"] as const) await createGit().run({ ...place, settings }, call);
    expect(trap.sprung()).toBe(false);
  });

  it("never runs a git that lies in the folder it works in", async () => {
    const repo = makeRepo();
    writeFileSync(join(repo.root, "git"), "#!/bin/sh\necho planted\n");
    chmodSync(join(repo.root, "git"), 0o755);
    const careless = createGit({ env: { PATH: `.::bin:${process.env.PATH}` } });
    const { stdout } = await careless.run({ cwd: repo.root, settings: "none" }, { command: "version" });
    expect(stdout).toMatch(/^git version /);
  });

  it("says what to do when git is missing", async () => {
    useEmptyHome();
    const folder = tempFolder();
    mkdirSync(join(folder, "bin"));
    const without = createGit({ env: { PATH: join(folder, "bin") } });
    await expect(
      without.run({ cwd: folder, settings: "none" }, { command: "version" }),
    ).rejects.toMatchObject({
      name: "UserError",
      message: "Git is not installed, or not on the PATH.",
      next: expect.stringContaining("2.38"),
    });
  });

  it("reports what git said when it fails, and takes an expected code for an answer", async () => {
    const repo = makeRepo();
    const call: GitCall = { command: "rev-parse", options: ["-q", "--verify"], values: ["refs/heads/none"] };
    await expect(inRepo(repo.root, call)).rejects.toMatchObject({ name: "GitFailure", code: 1 });
    expect(await inRepo(repo.root, { ...call, answers: [1] })).toMatchObject({ code: 1, stdout: "" });
    await expect(inRepo(repo.root, { command: "rev-parse", values: ["none"] })).rejects.toThrow(
      /^failed to run git rev-parse \(exit code 128\): fatal: ambiguous argument 'none'/,
    );
  });

  it("logs every call, and does not wait for output that will never come", BY_THE_CLOCK, async () => {
    const repo = makeRepo();
    const log: GitLogEntry[] = [];
    const logged = createGit({ log: (entry) => log.push(entry) });
    const place = { cwd: repo.root, gitDir: join(repo.root, ".git"), settings: "none" } as const;
    for (let round = 0; round < 5; round += 1) {
      await logged.run(place, { command: "update-ref", values: [`refs/x/${round}`, repo.sha("HEAD")] });
      await logged.run(place, { command: "rev-parse", values: ["HEAD"] });
    }
    expect(log).toHaveLength(10);
    expect(log[0]).toMatchObject({ gitDir: place.gitDir, code: 0 });
    expect(log[0]?.args.slice(0, 2)).toEqual(["update-ref", "refs/x/0"]);
    const least = (command: string): number =>
      Math.min(...log.filter(({ args }) => args[0] === command).map(({ ms }) => ms));
    // simple-git by itself takes 50 ms more for a command that prints nothing.
    expect(least("update-ref") - least("rev-parse")).toBeLessThan(40);
  });
});
