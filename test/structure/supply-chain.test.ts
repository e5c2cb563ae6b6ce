import { spawnSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { tempFolder } from "../support/git-repo.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

type LockedPackage = {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
};
type Lock = { readonly lockfileVersion: number; readonly packages: Readonly<Record<string, LockedPackage>> };

const agents = readdirSync(join(ROOT, "agents"));
const folders = ["", ...agents.map((id) => `agents/${id}/`)];

describe.each(folders)("%spackage-lock.json", (folder) => {
  const lock: Lock = JSON.parse(read(`${folder}package-lock.json`));
  const packages = Object.entries(lock.packages).filter(([path]) => path !== "");

  it("names a hash for every package, and no place of its own to fetch one from", () => {
    expect(lock.lockfileVersion).toBe(3);
    expect(packages.length).toBeGreaterThan(0);
    for (const [path, one] of packages) {
      expect([path, one.integrity]).toEqual([path, expect.stringMatching(/^sha512-[A-Za-z0-9+/]{86}==$/)]);
      // Whoever installs has a registry; a git address, a file or a stranger's host is none.
      expect([path, one.resolved, one.link]).toEqual([path, undefined, undefined]);
    }
  });

  it("belongs to the package.json beside it", () => {
    const { dependencies, devDependencies } = JSON.parse(read(`${folder}package.json`));
    const root = lock.packages[""] as { dependencies?: unknown; devDependencies?: unknown };
    expect({ dependencies: root.dependencies, devDependencies: root.devDependencies }).toEqual({
      dependencies,
      devDependencies,
    });
  });
});

describe("scripts of dependencies", () => {
  it("are known by name and version, and none is needed", () => {
    const lock: Lock = JSON.parse(read("package-lock.json"));
    const { allowScripts } = JSON.parse(read("package.json"));
    const names = Object.entries(lock.packages)
      .filter(([, one]) => one.hasInstallScript)
      .map(([path]) => path.replace(/^.*node_modules\//, ""));
    expect(allowScripts).toEqual(Object.fromEntries(names.map((name) => [name, false])));
  });
});

describe("the workflows", () => {
  const files = readdirSync(join(ROOT, ".github/workflows"));
  const workflows = files.map((file) => ({ file, ...parse(read(`.github/workflows/${file}`)) }));

  it("get no more rights than they name, and keep no credentials in the checkout", () => {
    for (const { file, permissions, jobs } of workflows) {
      expect([file, permissions]).toEqual([file, { contents: "read" }]);
      for (const job of Object.values<{ steps: { uses?: string; with?: Record<string, unknown> }[] }>(jobs)) {
        const checkouts = job.steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
        for (const step of checkouts) expect(step.with?.["persist-credentials"]).toBe(false);
      }
    }
  });

  it("check the signatures of what is installed", () => {
    expect(read(".github/workflows/ci.yml")).toContain("npm audit signatures");
  });
});

describe("pinning images", () => {
  const digest = `sha256:${"0123456789abcdef".repeat(4)}`;

  function pin(answer: string) {
    const folder = tempFolder();
    for (const file of ["Dockerfile", "compose.yaml"]) copyFileSync(join(ROOT, file), join(folder, file));
    writeFileSync(join(folder, "docker"), `#!/bin/sh\n${answer}\n`, { mode: 0o755 });
    const run = () =>
      spawnSync(join(ROOT, ".ci/pin-images"), [folder], {
        encoding: "utf8",
        env: { PATH: `${folder}:${process.env.PATH}` },
      });
    const now = () => ["Dockerfile", "compose.yaml"].map((file) => readFileSync(join(folder, file), "utf8"));
    return { before: now(), ended: run(), again: run, now };
  }

  it("writes the digest of every image from a registry, and of no other", () => {
    const { ended, again, now } = pin(`echo ${digest}`);
    expect(ended).toMatchObject({ status: 0, stderr: "" });
    const [dockerfile = "", compose = ""] = now();
    expect(dockerfile.match(/^FROM .*/gm)).toEqual([
      `FROM node:20.20-bookworm-slim@${digest} AS build`,
      `FROM node:20.20-bookworm-slim@${digest}`,
    ]);
    expect(compose.match(/^ +image: .*/gm)).toEqual([
      "  image: loom",
      `    image: redis:7.4-bookworm@${digest}`,
    ]);
    expect(again()).toMatchObject({ status: 0 });
    expect(now()).toEqual([dockerfile, compose]);
  });

  it.each(["exit 1", "echo nonsense", "echo sha256:short", "true"])(
    "writes nothing when docker does: %s",
    (answer) => {
      const { before, ended, now } = pin(answer);
      expect(ended.status).toBe(1);
      expect(ended.stderr).toContain("nothing was changed");
      expect(now()).toEqual(before);
    },
  );
});
