import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGit } from "../../../src/adapters/git/run/git.ts";
import { removeTree } from "../../../src/adapters/git/trees/remove-strangers.ts";
import { createClaude } from "../../../src/adapters/harness/claude/claude.ts";
import { createCliHarness } from "../../../src/adapters/harness/cli/create-cli-harness.ts";
import { createCommandHarness } from "../../../src/adapters/harness/command.ts";
import { statusFromPs } from "../../../src/adapters/os/process-identity.ts";
import { createShellShim } from "../../../src/adapters/sandbox/gateway/shell-shim.ts";
import { createSupervisor } from "../../../src/adapters/sandbox/processes/process-supervisor.ts";
import { createPsReader } from "../../../src/adapters/sandbox/processes/ps-reader.ts";
import { createStdioMaker } from "../../../src/adapters/sandbox/processes/stdio.ts";
import { tryBubblewrap } from "../../../src/adapters/sandbox/provider/bubblewrap/try-bubblewrap.ts";
import { findContainerEngine } from "../../../src/adapters/sandbox/provider/container.ts";
import { readWrapper } from "../../../src/adapters/sandbox/provider/wrapper.ts";
import { makeRepo, tempFolder } from "../../support/git-repo.ts";

const PATH = process.env.PATH ?? "";

const NAMES =
  "agent bash bwrap claude docker git grep mkfifo mount perl podman ps rm setpriv sh sleep tr unshare wrap".split(
    " ",
  );

/** A repository that Loom was started in, with a program of each name first on PATH; `ran`: which of them were run. */
function plantAll() {
  const { root } = makeRepo();
  const notes = join(tempFolder(), "ran");
  const folders = [join(root, "node_modules/.bin"), join(root, "bin")];
  for (const file of folders.flatMap((folder) => NAMES.map((name) => join(folder, name)))) {
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, `#!/bin/sh\necho "$0" >> '${notes}'\nexit 0\n`);
    chmodSync(file, 0o755);
  }
  const env = { ...process.env, PATH: [...folders, ".", "bin", PATH].join(delimiter) };
  return { root, env, folders, ran: () => (existsSync(notes) ? readFileSync(notes, "utf8") : "") };
}

type Planted = ReturnType<typeof plantAll>;

/** For those that ask for no environment and no folder, and so take the process's. */
function enter({ root, env }: Planted): void {
  const before = { cwd: process.cwd(), path: process.env.PATH };
  process.chdir(root);
  process.env.PATH = env.PATH;
  onTestFinished(() => {
    process.chdir(before.cwd);
    process.env.PATH = before.path;
  });
}

const settle = (work: Promise<unknown>): Promise<unknown> => work.catch(() => {});
const sandboxes = {} as Parameters<typeof createCommandHarness>[0]["sandboxes"];

const callers: Readonly<Record<string, (planted: Planted) => unknown>> = {
  git: async ({ root, env }) =>
    expect(
      (await createGit({ env, cwd: root }).run({ cwd: root, settings: "own" }, { command: "version" }))
        .stdout,
    ).toContain("git version"),
  "ps, for the identity of a process": () => statusFromPs(process.pid),
  "ps, for all processes": () => settle(createPsReader().read({ everything: true })),
  "mkfifo, for pipes": () => {
    const maker = createStdioMaker();
    const { closeEnds, stdout, stderr } = maker.open("");
    closeEnds();
    stdout?.destroy();
    stderr?.destroy();
    maker.close();
  },
  "rm, for folders that no path is long enough for": async () => {
    const folder = tempFolder();
    execFileSync("perl", ["-e", 'for (1 .. 40) { mkdir("d" x 200); chdir("d" x 200) }'], {
      cwd: folder,
      env: { PATH },
    });
    await removeTree(folder);
    expect(existsSync(folder)).toBe(false);
  },
  "a program that the supervisor is given by its name": async ({ root, env }) => {
    const supervisor = createSupervisor();
    const argv = ["sh", "-c", "exit 3"] as const;
    const started = supervisor.spawn({
      argv,
      cwd: root,
      env: { PATH: env.PATH },
      stdin: "",
      marker: "planted",
    });
    expect(await started.exit).toEqual({ kind: "exited", code: 3 });
    await supervisor.close();
  },
  "the shell behind the one that asks first": async ({ folders }) => {
    const made = await createShellShim(join(tempFolder(), "shells"), [process.execPath], { first: folders });
    expect(readFileSync(join(made, "sh"), "utf8")).not.toContain(folders[1]);
  },
  "an agent's CLI": async ({ root, env }) => {
    const harness = createCliHarness(createClaude(), {
      sandboxes,
      env: { ...env, PATH: join(root, "bin") },
      cwd: root,
    });
    expect(await harness.check()).toMatchObject({
      kind: "missing",
      reason: expect.stringContaining("claude"),
    });
  },
  "a command as an agent": async ({ root, env }) => {
    const told = { ...env, PATH: join(root, "bin"), LOOM_COMMAND_BIN: "agent" };
    const { check } = createCommandHarness({ sandboxes, env: told, cwd: root });
    expect(await check()).toMatchObject({
      kind: "missing",
      reason: expect.stringContaining("was not found outside of the repository"),
    });
  },
  bubblewrap: ({ root, env }) => tryBubblewrap(env, root),
  "docker and podman": ({ root }) =>
    expect(
      findContainerEngine({ PATH: join(root, "bin"), LOOM_SANDBOX_IMAGE: "none" }, root),
    ).rejects.toThrow("neither was found on PATH"),
  "a wrapper of the operator's": ({ root }) =>
    expect(() =>
      readWrapper({
        ...({} as Parameters<typeof readWrapper>[0]),
        env: { PATH: join(root, "bin"), LOOM_SANDBOX_CMD: "wrap" },
        cwd: root,
      }),
    ).toThrow("which was not found on PATH"),
};

describe("a program planted in the repository", () => {
  it.each(Object.keys(callers))("is never run for %s", async (name) => {
    const planted = plantAll();
    enter(planted);
    await callers[name]?.(planted);
    expect(planted.ran()).toBe("");
  });
});
