import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readServiceEnvFile } from "../../../src/wiring/settings/service-env-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "loom-service-env-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(text: string, name = ".env", mode = 0o600): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

const read = async (named?: string, cwd = folder) => {
  const file = await readServiceEnvFile(named === undefined ? {} : { LOOM_ENV_FILE: named }, cwd);
  return {
    values: file.values,
    warnings: file.warnings.map((text) => text.replaceAll(folder, "<folder>")),
    refusal: file.refusal?.replaceAll(folder, "<folder>") ?? null,
  };
};

const APP = "APP_ID=4711\n";
const TAKEN = { values: { APP_ID: "4711" }, warnings: [], refusal: null };

describe("the .env of the folder that a service is started in", () => {
  it("counts when it is the operator's, also as a link within the folder", async () => {
    write(APP, "kept", 0o644);
    symlinkSync("kept", join(folder, ".env"));
    expect(await read()).toEqual(TAKEN);
  });

  it("may be missing", async () => {
    expect(await read()).toEqual({ values: {}, warnings: [], refusal: null });
  });

  it("says in one line each what does not count, without the values", async () => {
    write(
      `${APP}LOOM_SANDBOX=off\nLOOM_COMMAND_BIN=/sentinel\nNODE_OPTIONS=--require=/sentinel\nLD_PRELOAD=/sentinel\nLOOM_CONFIG=/sentinel\n`,
    );
    const { values, warnings } = await read();
    expect(values).toEqual({ APP_ID: "4711" });
    expect(warnings).toMatchInlineSnapshot(`
      [
        "<folder>/.env sets LOOM_COMMAND_BIN and LOOM_SANDBOX, which count only in a file that you name; they are ignored. Export them, or start with LOOM_ENV_FILE=<folder>/.env",
        "<folder>/.env sets LOOM_CONFIG, which counts only when it is exported; it is ignored.",
        "<folder>/.env sets LD_PRELOAD and NODE_OPTIONS, which are no settings of Loom; they are ignored. Export them if the service needs them.",
      ]
    `);
    expect(warnings.join()).not.toContain("sentinel");
  });

  it("does not count in a git repository, wherever in it, unless it is named", async () => {
    write(APP);
    execFileSync("git", ["init", "--quiet", folder]);
    const inside = join(folder, "deploy");
    mkdirSync(inside);
    const path = write(APP, "deploy/.env");
    for (const cwd of [folder, inside]) {
      const { values, refusal } = await read(undefined, cwd);
      expect([values, refusal]).toEqual([
        {},
        "it is in the git repository <folder>, which others may push to",
      ]);
    }
    expect((await read(undefined, inside)).warnings).toMatchInlineSnapshot(`
      [
        "<folder>/deploy/.env is not used: it is in the git repository <folder>, which others may push to. If it is yours, start with LOOM_ENV_FILE=<folder>/deploy/.env",
      ]
    `);
    expect(await read(path)).toEqual(TAKEN);
  });

  it("is not where a key can be kept in a git repository, though there is none yet", async () => {
    mkdirSync(join(folder, ".git"));
    expect(await read()).toMatchObject({ warnings: [], refusal: expect.stringContaining("git repository") });
  });

  it("does not count in a folder that is a link into a git repository", async () => {
    mkdirSync(join(folder, "repository/.git"), { recursive: true });
    write(APP, "repository/.env");
    symlinkSync(join(folder, "repository"), join(folder, "link"));
    expect((await read(undefined, join(folder, "link"))).values).toEqual({});
  });

  it("does not count as a link into a git repository below", async () => {
    mkdirSync(join(folder, "repository/.git"), { recursive: true });
    symlinkSync(write(APP, "repository/.env"), join(folder, ".env"));
    expect((await read()).values).toEqual({});
  });

  it("does not count as a link that leads away, unless it is named", async () => {
    mkdirSync(join(folder, "here"));
    const cwd = join(folder, "here");
    symlinkSync(write(APP, "elsewhere"), join(cwd, ".env"));
    const { values, warnings } = await read(undefined, cwd);
    expect(values).toEqual({});
    expect(warnings).toMatchInlineSnapshot(`
      [
        "<folder>/here/.env is not used: it is a link that leads to another folder. If it is yours, start with LOOM_ENV_FILE=<folder>/here/.env",
      ]
    `);
    expect(await read(".env", cwd)).toEqual(TAKEN);
  });

  it("does not count when it belongs to another user", async () => {
    const path = write(APP);
    // Nobody but root can give a file away; for the others it is the user of the process that changes.
    const other = vi.spyOn(process, "getuid").mockReturnValue(12_345);
    if (statSync(path).uid === 0) chownSync(path, 23_456, 23_456);
    const { values, warnings } = await read();
    other.mockRestore();
    expect(values).toEqual({});
    expect(warnings).toMatchInlineSnapshot(`
      [
        "<folder>/.env is not used: it belongs to another user. If it is yours, start with LOOM_ENV_FILE=<folder>/.env",
      ]
    `);
    expect(await read(path)).toEqual(TAKEN);
  });
});

describe("the file that LOOM_ENV_FILE names, as any other,", () => {
  it.each([0o620, 0o602, 0o666])("does not count when others may write to it (%o)", async (mode) => {
    const path = write(APP, "loom.env", mode);
    expect(await read(path)).toEqual({
      values: {},
      warnings: ["<folder>/loom.env is not used: other users may write to it (`chmod go-w` changes that)."],
      refusal: "other users may write to it (`chmod go-w` changes that)",
    });
  });

  it("counts for every setting", async () => {
    const path = write("LOOM_SANDBOX=off\nPATH=/sentinel\n", "loom.env");
    const { values, warnings } = await read(path);
    expect(values).toEqual({ LOOM_SANDBOX: "off" });
    expect(warnings).toMatchInlineSnapshot(`
      [
        "<folder>/loom.env sets PATH, which is no setting of Loom; it is ignored. Export it if the service needs it.",
      ]
    `);
  });

  it.each([
    ["a folder", (path: string) => mkdirSync(path)],
    ["a pipe", (path: string) => execFileSync("mkfifo", [path])],
    ["too large", (path: string) => writeFileSync(path, "A".repeat(70_000), { mode: 0o600 })],
    ["no text", (path: string) => writeFileSync(path, "APP_ID=\0", { mode: 0o600 })],
  ])("does not count when it is %s", async (_, make) => {
    const path = join(folder, "loom.env");
    make(path);
    const { values, refusal } = await read(path);
    expect(values).toEqual({});
    expect(refusal).not.toBeNull();
  });
});
