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

type Step = { readonly uses?: string; readonly run?: string; readonly with?: Record<string, unknown> };
type Job = { readonly steps: readonly Step[] };

const commandsOf = ({ steps }: Job): string[] => steps.flatMap(({ run }) => run ?? []);

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
  it("are refused by name, whatever the version", () => {
    const lock: Lock = JSON.parse(read("package-lock.json"));
    const { allowScripts } = JSON.parse(read("package.json"));
    const names = Object.entries(lock.packages)
      .filter(([, one]) => one.hasInstallScript)
      .map(([path]) => path.replace(/^.*node_modules\//, ""));
    expect(allowScripts).toEqual(Object.fromEntries(names.map((name) => [name, false])));
  });

  it("can't run where CI installs, not even by an npm that knows no allowScripts", () => {
    const files = [".ci", ".github/workflows"].flatMap((folder) =>
      readdirSync(join(ROOT, folder)).map((file) => `${folder}/${file}`),
    );
    const installs = files.flatMap((file) =>
      Array.from(read(file).matchAll(/^[^#\n]*\bnpm (?:ci|i|install)\b.*/gm), ([line]) => [
        file,
        line.trim(),
      ]),
    );
    expect([...new Set(installs.map(([file]) => file))]).toEqual([
      ".ci/check-signatures",
      ".ci/run",
      ".github/workflows/ci.yml",
      ".github/workflows/fuzz.yml",
      ".github/workflows/release.yml",
    ]);
    for (const [file, line] of installs)
      expect([file, line]).toEqual([file, expect.stringContaining("npm ci --ignore-scripts")]);
  });

  it("do not keep `npm ci` from building Loom", () => {
    const { scripts } = JSON.parse(read("package.json"));
    expect(scripts.prepare).toBe("npm run build");
  });
});

describe("the workflows", () => {
  const files = readdirSync(join(ROOT, ".github/workflows"));
  const workflows = files.map((file) => ({ file, ...parse(read(`.github/workflows/${file}`)) }));

  it("get no more rights than they name, and keep no credentials in the checkout", () => {
    for (const { file, permissions, jobs } of workflows) {
      expect([file, permissions]).toEqual([file, { contents: "read" }]);
      for (const job of Object.values<Job>(jobs)) {
        const checkouts = job.steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
        for (const step of checkouts) expect(step.with?.["persist-credentials"]).toBe(false);
      }
    }
  });

  it("check who published each package of every lock file before anything of it runs", () => {
    const { signatures, ...others } = parse(read(".github/workflows/ci.yml")).jobs;
    expect(Object.values<{ needs: string }>(others).map(({ needs }) => needs)).toEqual(
      Object.keys(others).map(() => "signatures"),
    );
    expect(commandsOf(signatures)).toEqual([".ci/check-signatures"]);
  });

  it("publish nothing before that, nor what is not of main or has no changelog", () => {
    const { check, ...others } = parse(read(".github/workflows/release.yml")).jobs;
    expect(commandsOf(check)).toEqual([
      ".ci/check-signatures",
      'node .ci/release-notes.mjs "$GITHUB_REF_NAME"',
      'git merge-base --is-ancestor "$GITHUB_SHA" origin/main',
      expect.stringContaining("test/structure/package.test.ts"),
    ]);
    const before = (id: string): string[] =>
      [others[id]?.needs ?? []].flat().flatMap((need: string) => [need, ...before(need)]);
    for (const id of Object.keys(others))
      expect([id, before(id)]).toEqual([id, expect.arrayContaining(["check"])]);
  });

  it("need a sandbox for the drill", () => {
    const { check } = parse(read(".github/workflows/ci.yml")).jobs;
    const run = check.steps.find((step: Step) => step.run === ".ci/run");
    expect(run.env).toEqual({ LOOM_CI_NEEDS_SANDBOX: "1", LOOM_CI_TESTS: "elsewhere" });
    expect(commandsOf(check).join("\n")).toMatch(
      /apt-get install .*\bbubblewrap\b[\s\S]*kernel\.apparmor_restrict_unprivileged_userns=0/,
    );
  });

  it("pin images every week, and leave new tags to Dependabot", () => {
    const { on, jobs } = parse(read(".github/workflows/pin-images.yml"));
    expect(Object.keys(on)).toEqual(["schedule", "workflow_dispatch"]);
    expect(commandsOf(jobs.pin)).toContain(".ci/pin-images");
    const { updates } = parse(read(".github/dependabot.yml"));
    const kinds = updates.map((update: { "package-ecosystem": string }) => update["package-ecosystem"]);
    expect(kinds).toEqual(["npm", "github-actions", "docker", "docker-compose"]);
  });
});

describe("the list of what a release consists of", () => {
  it("has a part for Loom and one for each agent, with every package that their lock files name", () => {
    const folder = tempFolder();
    const ended = spawnSync(join(ROOT, ".ci/sbom"), [folder], { encoding: "utf8" });
    expect([ended.status, ended.stderr]).toEqual([0, expect.not.stringContaining("npm error")]);
    const { name, version } = JSON.parse(read("package.json"));
    const names = [name.replace(/^.*\//, ""), ...agents.map((id) => `loom-agent-${id}`)];
    expect(readdirSync(folder).sort()).toEqual(
      names.flatMap((one) => [`${one}.cdx.json`, `${one}.spdx.json`]).sort(),
    );
    for (const id of agents) {
      const lock: Lock = JSON.parse(read(`agents/${id}/package-lock.json`));
      const locked = Object.entries(lock.packages).filter(([path]) => path !== "");
      const { metadata, components } = JSON.parse(
        readFileSync(join(folder, `loom-agent-${id}.cdx.json`), "utf8"),
      );
      expect(metadata.component["bom-ref"]).toBe(`loom-agent-${id}@${version}`);
      expect(components).toHaveLength(locked.length);
    }
  });
});

describe("the drill of CI", () => {
  const attack = (id: string, outcome: string, why: string | null = null) => ({
    id,
    outcome,
    why,
    title: id,
    reason: "it got out",
    fix: "Close it.",
  });
  const judge = (sandbox: string, attacks: readonly object[], needs = "") => {
    const file = join(tempFolder(), "drill.json");
    writeFileSync(file, JSON.stringify({ sandbox, sandboxDetail: sandbox, attacks }));
    return spawnSync(process.execPath, [join(ROOT, ".ci/judge-drill.mjs"), file], {
      encoding: "utf8",
      env: { LOOM_CI_NEEDS_SANDBOX: needs },
    });
  };
  const unplayed = [attack("import", "held"), attack("loopback", "open", "no-sandbox")];

  it("fails when an attack got through, settings of the machine apart", () => {
    const fallen = judge("bubblewrap", [attack("loopback", "open", "fell")]);
    expect([fallen.status, fallen.stdout]).toEqual([1, expect.stringContaining("it got out\n  Close it.")]);
    const settings = [attack("loopback", "held"), attack("setting-store", "open", "setting")];
    expect(judge("bubblewrap", settings, "1").status).toBe(0);
  });

  it("passes a machine without a sandbox only where none is needed", () => {
    expect(judge("off", unplayed).status).toBe(0);
    const needed = judge("off", unplayed, "1");
    expect([needed.status, needed.stdout]).toEqual([
      1,
      expect.stringContaining("1 attacks could not be played"),
    ]);
    expect(judge("custom", [attack("loopback", "held")], "1").status).toBe(1);
    expect(judge("bubblewrap", [attack("loopback", "held")], "1").status).toBe(0);
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
