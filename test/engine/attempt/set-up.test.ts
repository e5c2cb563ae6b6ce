import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { explainVerdict } from "../../../src/core/report/terminal/verdict-report.ts";
import type { Registry, TestPackage } from "../../support/package-registry.ts";
import { leak, makeSetUpWorld, type SetUpWorldOptions } from "../../support/set-up-world.ts";

const SECRET = "the code that nobody else may have\n";
const CHECK = [{ command: "true" }];

const packageJson = (fields: Record<string, unknown> = {}): string =>
  JSON.stringify({ name: "app", version: "1.0.0", ...fields });
const npmrc = (registry: Registry, ...lines: string[]): string =>
  `${[`registry=${registry.url}`, "audit=false", ...lines].join("\n")}\n`;

/** A project that `npm ci` sets up, with a step of its own. */
const project: SetUpWorldOptions["base"] = (registry) => ({
  "secret.txt": SECRET,
  "package.json": packageJson({ dependencies: { tiny: "1.0.0" } }),
  "package-lock.json": registry.lock("app", "tiny"),
  ".npmrc": npmrc(registry),
  ".gitignore": "node_modules\n",
  "tools/deps.sh": "echo nothing to do\n",
});

const TINY: TestPackage = { name: "tiny", files: { "index.js": "module.exports = 1;\n" } };
const OTHER: TestPackage = { name: "other", files: { "index.js": "module.exports = 2;\n" } };
/** A package whose own script sends the code away. */
const GREEDY = { name: "greedy", fields: { scripts: { postinstall: "node ../../leak.cjs package" } } };

const STAGE = { setup: ["npm ci", "sh tools/deps.sh"], acceptance: CHECK };

const more = (registry: Registry, ...names: string[]): Record<string, string> => ({
  "package.json": packageJson({ dependencies: Object.fromEntries(names.map((name) => [name, "1.0.0"])) }),
  "package-lock.json": registry.lock("app", ...names),
});

/** Every way that an agent has to be run by a set-up that it can't change. */
const planted = (registry: Registry): Readonly<Record<string, string>> => {
  const scripts = ["preinstall", "install", "postinstall", "prepare"];
  return {
    ...more(registry, "tiny", "greedy"),
    "package.json": packageJson({
      dependencies: { tiny: "1.0.0", greedy: "1.0.0" },
      scripts: Object.fromEntries(scripts.map((name) => [name, `node leak.cjs ${name}`])),
    }),
    ".npmrc": npmrc(registry, `script-shell=\${PWD}/shell`),
    shell: '#!/bin/sh\nnode "$INIT_CWD/leak.cjs" shell\nexec /bin/sh "$@"\n',
    "tools/deps.sh": "node leak.cjs script\n",
    "leak.cjs": leak(registry),
  };
};

describe("the set-up of what an agent wrote", () => {
  it("sends nothing away, however the agent's code comes to run", async () => {
    const world = await makeSetUpWorld({ base: project, stage: STAGE, packages: [TINY, GREEDY] });
    const verdict = await world.prove(world.commit(planted(world.registry)));
    expect(explainVerdict(verdict).message).toBe("No check failed.");
    expect(world.registry.sent()).toEqual([]);
    expect(world.registry.requests.map(({ path }) => path)).toContain("/greedy/greedy-1.0.0.tgz");
    expect(world.homes()).toEqual([]);
  });

  it("would send it in all of these ways where the operator lets set-up reach hosts", async () => {
    const world = await makeSetUpWorld({
      base: project,
      stage: STAGE,
      packages: [TINY, GREEDY],
      env: { LOOM_SETUP_NETWORK: "commit" },
    });
    await world.prove(world.commit(planted(world.registry)));
    const ways = new Set(world.registry.sent().map(({ path }) => path.replace("/leak/", "")));
    expect([...ways].sort()).toEqual([
      "install",
      "package",
      "postinstall",
      "preinstall",
      "prepare",
      "script",
      "shell",
    ]);
  });

  it("sends nothing away before an agent begins that builds on others' work", async () => {
    const world = await makeSetUpWorld({
      base: project,
      stage: { setup: ["sh tools/deps.sh"] },
    });
    const merged = world.commit({
      "tools/deps.sh": "node leak.cjs; touch ran\n",
      "leak.cjs": leak(world.registry),
    });
    const { tree, failure } = await world.prepare(merged, merged);
    expect(failure).toBeNull();
    expect(existsSync(join(tree.path, "ran"))).toBe(true);
    expect(world.registry.sent()).toEqual([]);
    expect(world.homes()).toEqual([]);
  });
});

describe("what a commit adds to the dependencies", () => {
  it("may be its first ones", async () => {
    const world = await makeSetUpWorld({
      base: (registry) => ({ "README.md": "hello\n", ".npmrc": npmrc(registry) }),
      stage: { setup: ["npm ci"], acceptance: [{ command: "node -e 'require(\"tiny\")'" }] },
      packages: [TINY],
    });
    const verdict = await world.prove(world.commit(more(world.registry, "tiny")));
    expect(verdict.outcome).toBe("passed");
  });

  it("is found in every package of a workspace, without a lock file too", async () => {
    const root = { name: "app", version: "1.0.0", workspaces: ["packages/*"] };
    const world = await makeSetUpWorld({
      base: (registry) => ({
        "package.json": JSON.stringify(root),
        "packages/a/package.json": JSON.stringify({ name: "a", version: "1.0.0" }),
        ".npmrc": npmrc(registry, "package-lock=false"),
      }),
      stage: { setup: ["npm install"], acceptance: [{ command: "node -e 'require(\"tiny\")'" }] },
      packages: [TINY],
    });
    const commit = world.commit({
      "packages/a/package.json": JSON.stringify({
        name: "a",
        version: "1.0.0",
        dependencies: { tiny: "1.0.0" },
      }),
    });
    expect((await world.prove(commit)).outcome).toBe("passed");
  });
});

/** What runs or sends something in the step that downloads, if anything does; the code is in the manifests themselves. */
const TRICKS: readonly (readonly [string, (registry: Registry) => Readonly<Record<string, string>>])[] = [
  [
    "scripts, settings of npm and a package manager that is to be fetched",
    (registry) => {
      const inline = `node -e '${leak(registry).replaceAll("\n", " ")}'`;
      return {
        ...more(registry, "tiny", "other"),
        "package.json": packageJson({
          dependencies: { tiny: "1.0.0", other: "1.0.0" },
          scripts: { preinstall: inline, prepare: inline, dependencies: inline },
          packageManager: `npm@${registry.url}greedy/greedy-1.0.0.tgz`,
          devEngines: { packageManager: { name: "other", onFail: "download" } },
        }),
        ".npmrc": npmrc(
          registry,
          "ignore-scripts=false",
          "script-shell=./leak.sh",
          "node-options=--require=./leak.cjs",
          "git=./leak.sh",
        ),
        "leak.sh": "#!/bin/sh\nnode leak.cjs\n",
      };
    },
  ],
  [
    "a dependency that git fetches",
    (registry) => ({
      "package.json": packageJson({ dependencies: { tiny: "1.0.0", far: `git+${registry.url}far.git` } }),
      "package-lock.json": registry
        .lock("app", "tiny", "far")
        .replace(/"resolved":"[^"]*far[^"]*"/, `"resolved":"git+${registry.url}far.git#${"a".repeat(40)}"`),
    }),
  ],
  [
    "a package that is to be unpacked outside of its folder",
    (registry) => ({
      ...more(registry, "tiny", "greedy"),
      "package-lock.json": registry
        .lock("app", "tiny", "greedy")
        .replace('"node_modules/greedy"', '"../home/greedy"'),
    }),
  ],
];

describe("the step that downloads", () => {
  it.each(TRICKS)("runs nothing and sends nothing for %s", async (_how, files) => {
    const world = await makeSetUpWorld({ base: project, stage: STAGE, packages: [TINY, OTHER, GREEDY] });
    await world.prove(world.commit({ "leak.cjs": leak(world.registry), ...files(world.registry) }));
    expect(world.registry.sent()).toEqual([]);
    expect(world.registry.requests.filter(({ path }) => path.startsWith("/far.git"))).toEqual([]);
  });
});

describe("a set-up that fails without a network", () => {
  it("says that it had none, what was changed and what to do", async () => {
    const world = await makeSetUpWorld({
      base: () => ({ "deps.sh": "true\n" }),
      stage: { setup: ["sh deps.sh"], acceptance: CHECK },
    });
    // A dependency from a git repository is never downloaded.
    const commit = world.commit({
      "deps.sh": "echo not there; exit 1\n",
      "package.json": packageJson({ dependencies: { far: "someone/far" } }),
      Gemfile: "",
    });
    const why =
      "Set-up has no network once agents have changed the code. These changed since the run started: `Gemfile`, `package.json`. `npm` could not download what that needs. Merge what set-up needs by hand and start a run from there, or let Loom's operator set LOOM_SETUP_NETWORK=commit.";
    expect(explainVerdict(await world.prove(commit)).message).toBe(
      `The set-up failed: \`sh deps.sh\` exited with 1 (expected 0). ${why}`,
    );
    expect((await world.prepare(commit, commit)).failure).toEqual({
      kind: "setup-failed",
      message: `The set-up command \`sh deps.sh\` exited with 1. ${why}`,
      evidence: "not there\n",
    });
    expect(world.homes()).toEqual([]);
  });

  it("says that it failed already where the run started", async () => {
    const world = await makeSetUpWorld({
      base: () => ({ "deps.sh": "exit 3\n" }),
      stage: { setup: ["sh deps.sh"], acceptance: CHECK },
    });
    const { message } = explainVerdict(await world.prove(world.commit({ "a.txt": "a\n" })));
    expect(message).toMatchInlineSnapshot(
      `"The set-up failed: \`sh deps.sh\` exited with 3 (expected 0). Set-up has no network once agents have changed the code. Where the run started, the set-up command \`sh deps.sh\` exited with 3 (expected 0). Merge what set-up needs by hand and start a run from there, or let Loom's operator set LOOM_SETUP_NETWORK=commit."`,
    );
  });
});

describe("the tree after a set-up in two halves", () => {
  it("keeps what was installed, and nothing else that only the old code makes", async () => {
    const world = await makeSetUpWorld({
      base: (registry) => ({
        ...project(registry),
        ".gitignore": "node_modules\ndist\n",
        "src/old.js": "",
        "tools/deps.sh": "mkdir -p dist node_modules && cp src/*.js dist && touch node_modules/$(ls src)\n",
      }),
      stage: {
        setup: ["sh tools/deps.sh"],
        acceptance: [
          { command: "test -e node_modules/old.js && test -e dist/new.js && test ! -e dist/old.js" },
        ],
      },
      packages: [TINY],
    });
    const verdict = await world.prove(world.commit({ "src/old.js": null, "src/new.js": "" }));
    expect(verdict.outcome).toBe("passed");
  });

  it("is as the commit has it where old leftovers are in the way", async () => {
    const world = await makeSetUpWorld({
      base: () => ({
        "deps.sh":
          "mkdir -p vendor/a node_modules/b target && ln -s /etc vendor/c && echo x > vendor/a/x && ln -s /tmp target/out && echo x > node_modules/b/x && echo x > vendor/f\n",
      }),
      stage: {
        setup: ["sh deps.sh"],
        acceptance: [
          {
            command:
              "grep -q ours vendor/a && grep -q ours vendor/c/passwd && grep -q ours target/out/x && grep -q ours vendor/f/x && test -e node_modules/b/x && test ! -L vendor/c",
          },
        ],
      },
    });
    const commit = world.commit({
      "deps.sh": "true\n",
      "vendor/a": "ours\n",
      "vendor/c/passwd": "ours\n",
      "target/out/x": "ours\n",
      "vendor/f/x": "ours\n",
    });
    expect(explainVerdict(await world.prove(commit)).message).toBe("No check failed.");
  });

  it("holds an agent's earlier work on top of what its git calls the base", async () => {
    const world = await makeSetUpWorld({
      base: project,
      stage: { setup: ["mkdir -p node_modules && cat *.txt > node_modules/seen"] },
    });
    const base = world.commit({ "merged.txt": "of another stage\n" });
    const kept = world.commit({ "work.txt": "unfinished\n", "secret.txt": "changed\n" }, base);
    const { tree, failure } = await world.prepare(base, kept);
    expect(failure).toBeNull();
    expect(readFileSync(join(tree.path, "work.txt"), "utf8")).toBe("unfinished\n");
    expect(readFileSync(join(tree.path, "merged.txt"), "utf8")).toBe("of another stage\n");
    expect(readFileSync(join(tree.path, "node_modules/seen"), "utf8")).toContain("unfinished");
    const saved = await world.workspace.commit(tree, {
      base,
      message: "Work",
      protect: [],
      onForbidden: "refuse",
      allowEmpty: false,
    });
    expect(saved).toMatchObject({ kind: "committed", files: ["secret.txt", "work.txt"] });
  });
});

describe("a set-up that has to be repeated", () => {
  it("begins with an empty home, whatever the commit's own set-up left in the last one", async () => {
    const world = await makeSetUpWorld({
      base: (registry) => ({
        ...project(registry),
        // Like tools that read their settings from the home.
        "tools/deps.sh":
          "if test -e ~/settings; then sh ~/settings; fi; mkdir -p node_modules; echo made >> node_modules/x\n",
      }),
      stage: {
        setup: ["sh tools/deps.sh"],
        acceptance: [
          { command: "echo changed > node_modules/x" },
          { command: "grep -q made node_modules/x" },
        ],
      },
    });
    const commit = world.commit({
      "leak.cjs": leak(world.registry),
      "tools/deps.sh": `mkdir -p node_modules; echo made >> node_modules/x; { echo "cat > l.cjs <<'E'"; cat leak.cjs; echo E; echo node l.cjs; } > ~/settings\n`,
    });
    expect(explainVerdict(await world.prove(commit)).message).toBe("No check failed.");
    expect(world.registry.sent()).toEqual([]);
    expect(world.homes()).toEqual([]);
  });
});

describe("a set-up of what the run started from", () => {
  it("runs once, with the network", async () => {
    const world = await makeSetUpWorld({
      base: (registry) => ({ ...project(registry), "leak.cjs": leak(registry) }),
      stage: { setup: ["node leak.cjs"], acceptance: CHECK },
      packages: [TINY],
    });
    await world.prove(world.commit({}));
    expect(world.registry.sent()).toHaveLength(1);
  });

  it("runs without it once an agent's test lies on top", async () => {
    const world = await makeSetUpWorld({
      base: project,
      stage: {
        setup: ["if test -e bug.cjs; then node bug.cjs; fi"],
        bug_fix: true,
        regression_test: { file: "bug.cjs", command: "test -e secret.txt && test -e fixed" },
      },
      packages: [TINY],
    });
    const commit = world.commit({ "bug.cjs": leak(world.registry), fixed: "" });
    const verdict = await world.prove(commit);
    expect(verdict.outcome).toBe("passed");
    expect(world.registry.sent()).toEqual([]);
  });
});
