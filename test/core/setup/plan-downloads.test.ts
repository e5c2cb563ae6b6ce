import { describe, expect, it } from "vitest";
import { isManifest } from "../../../src/core/setup/package-managers.ts";
import { planDownloads } from "../../../src/core/setup/plan-downloads.ts";

/** By manager: what is laid out, whose it is, and what is run where. */
function planned(commit: readonly string[], changed: readonly string[], base: readonly string[] = commit) {
  return planDownloads({ commit, base, changed }).map(({ manager, files, runs }) => ({
    manager,
    files: files.map(({ path, from }) => `${from.kind} ${path}`),
    runs: runs.map(
      ({ folder, tries }) => `${folder || "."}: ${tries.map((argv) => argv.join(" ")).join(" | ")}`,
    ),
  }));
}

describe("planDownloads", () => {
  it("downloads nothing when no manifest changed", () => {
    expect(planned(["package.json", "package-lock.json", "src/a.ts", "Cargo.toml"], ["src/a.ts"])).toEqual(
      [],
    );
  });

  it("lays out manifests of the commit, settings of the base, and nothing else", () => {
    const base = ["package.json", "package-lock.json", ".npmrc", "src/a.ts"];
    const commit = [...base, "packages/a/package.json", "packages/a/.npmrc", "leak.cjs"];
    expect(planned(commit, ["packages/a/package.json", ".npmrc", "leak.cjs"], base)).toEqual([
      {
        manager: "npm",
        files: [
          "commit package.json",
          "commit package-lock.json",
          "commit packages/a/package.json",
          "base .npmrc",
        ],
        runs: [
          ".: npm ci --ignore-scripts --no-audit --no-fund | npm install --ignore-scripts --no-audit --no-fund",
        ],
      },
    ]);
  });

  it.each([
    [
      "pnpm-lock.yaml",
      [".npmrc", "pnpm-workspace.yaml", ".pnpmfile.cjs"],
      "pnpm",
      ["base .npmrc", "base pnpm-workspace.yaml"],
    ],
    [
      "yarn.lock",
      [".yarnrc", ".yarnrc.yml", ".yarn/releases/yarn.cjs", ".yarn/plugins/p.cjs", ".yarn/patches/x.patch"],
      "yarn",
      ["base .yarnrc", "base .yarn/releases/yarn.cjs"],
    ],
    [
      "Cargo.lock",
      [".cargo/config.toml", "rust-toolchain", "rust-toolchain.toml", "build.sh"],
      "cargo",
      ["base .cargo/config.toml", "base rust-toolchain", "base rust-toolchain.toml"],
    ],
  ])("takes what can name programs from the base: %s", (lock, settings, manager, laid) => {
    const manifest = lock === "Cargo.lock" ? "Cargo.toml" : "package.json";
    const [first] = planned([manifest, lock, ...settings], [lock, ...settings]);
    expect(first?.manager).toBe(manager);
    expect(first?.files.filter((file) => file.startsWith("base "))).toEqual(laid);
    // What only the commit has is not there at all.
    const [without] = planned([manifest, lock, ...settings], [lock, ...settings], [manifest, lock]);
    expect(without?.files).toEqual([`commit ${manifest}`, `commit ${lock}`]);
  });

  it("runs each manager where the nearest lock file is", () => {
    const files = [
      "package-lock.json",
      "package.json",
      "web/package.json",
      "web/yarn.lock",
      "api/go.mod",
      "api/go.sum",
    ];
    expect(
      planned(files, ["web/package.json", "api/go.mod"]).map(({ manager, runs }) => [manager, runs]),
    ).toEqual([
      ["yarn", ["web: yarn install --ignore-scripts --frozen-lockfile --non-interactive"]],
      ["yarn", ["web: yarn install --immutable --mode=skip-build"]],
      ["go", ["api: go mod download"]],
    ]);
  });

  it("does without a lock file where the manager does, and leaves it to another one that has its own", () => {
    expect(planned(["package.json", "a/package.json"], ["a/package.json"])[0]?.runs).toEqual([
      ".: npm install --ignore-scripts --no-audit --no-fund",
    ]);
    expect(
      planned(["package.json", "pnpm-lock.yaml"], ["package.json"]).map(({ manager }) => manager),
    ).toEqual(["pnpm"]);
  });

  it("gives cargo the names of its targets and none of their text", () => {
    expect(planned(["Cargo.toml", "Cargo.lock", "src/main.rs", "build.rs"], ["Cargo.lock"])[0]).toEqual({
      manager: "cargo",
      files: ["commit Cargo.toml", "commit Cargo.lock", "stub src/main.rs", "stub build.rs"],
      runs: [".: cargo fetch --locked | cargo fetch"],
    });
  });

  it("takes wheels alone for pip, and what builds a project even if it did not change", () => {
    const pip = "python3 -I -m pip download --only-binary=:all: -r";
    expect(
      planned(["requirements.txt", "requirements-dev.txt", "pyproject.toml"], ["requirements-dev.txt"])[0]
        ?.runs,
    ).toEqual([`.: ${pip} pyproject.toml`, `.: ${pip} requirements-dev.txt`]);
    expect(planned(["requirements.txt", "a.py"], ["a.py"])).toEqual([]);
  });

  it("does not take installed packages for the project's own", () => {
    expect(
      planned(
        ["node_modules/x/package.json", "vendor/y/Cargo.toml"],
        ["node_modules/x/package.json", "vendor/y/Cargo.toml"],
      ),
    ).toEqual([]);
  });

  it("never downloads for manifests that are programs", () => {
    const programs = ["Gemfile", "Gemfile.lock", "build.gradle", "mix.exs"];
    expect(planned(programs, programs)).toEqual([]);
    expect(programs.filter(isManifest)).toEqual(programs);
  });
});
