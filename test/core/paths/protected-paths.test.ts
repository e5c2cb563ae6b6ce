import { describe, expect, it } from "vitest";
import { foldPath } from "../../../src/core/paths/fold-path.ts";
import { flagOf, isProtectedPath, packagesFolder } from "../../../src/core/paths/protected-paths.ts";
import { WATCHED } from "../../../src/core/paths/watched-paths.ts";

describe("isProtectedPath", () => {
  it.each([
    ".github",
    ".github/workflows/ci.yml",
    ".GitHub/workflows/ci.yml",
    ".GITHUB/x",
    ".git\u200chub/x",
    ".github./x",
    ".github /x",
    ".github::$INDEX_ALLOCATION/x",
    "GITHUB~1/workflows/ci.yml",
    "GI7EBA~1",
    "sub/gi7eba~1",
    "CL01AF~2/settings.json",
    ".g\u0130thub/workflows/ci.yml",
    ".g\u0131thub/workflows/ci.yml",
    ".GI\u0307THUB/workflows/ci.yml",
    "\uff0egithub/x",
    "CODEOWNERS",
    "docs/CODEOWNERS",
    "Docs/CodeOwners",
    ".gitlab-ci.yml",
    ".circleci/config.yml",
    "Jenkinsfile",
    "CLAUDE.md",
    "packages/a/claude.md",
    "CLAUDE~1.MD",
    "AGENTS.md",
    "agents.md/x",
    "sub/GEMINI.md",
    ".claude/settings.json",
    "sub/.claude/commands/x.md",
    ".mcp.json",
    "x/.mcp.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    "opencode.json",
    ".opencode/x",
    ".cursor/rules/x.mdc",
    ".env",
    ".ENV",
    ".env.local",
    "app/.env.production",
    ".husky/pre-commit",
    ".gitmodules",
    ".loom/run/PLAN.md",
    "node_modules/.bin/git",
    "packages/a/Node_Modules/x/index.js",
    "NODE_M~1/.bin/git",
    ".vscode/tasks.json",
    "app/.VSCode/settings.json",
    "my.code-workspace",
    ".idea/runConfigurations/x.xml",
    ".run/x.run.xml",
    ".zed/tasks.json",
    ".fleet/run.json",
    ".devcontainer.json",
    ".devcontainer/Dockerfile",
    ".envrc",
    "sub/.envrc",
    ".githooks/pre-commit",
    ".pre-commit-config.yaml",
    ".pre-commit-config.yml",
    "lefthook.yml",
    ".lefthook.toml",
    "lefthook-local.yaml",
    ".gitconfig",
    ".lfsconfig",
    ".nvim.lua",
    ".exrc",
    ".dir-locals.el",
    ".gdbinit",
    "tools/.pdbrc",
    ".Rprofile",
    "sitecustomize.py",
    ".drone.yml",
    ".woodpecker/build.yaml",
    ".cirrus.star",
    ".forgejo/workflows/x.yml",
    ".gitea/workflows/x.yml",
    "azure-pipelines-release.yaml",
    "appveyor.yml",
    "ci/Jenkinsfile",
    ".mergify.yml",
    ".bitbucket/CODEOWNERS",
    ".gitpod.yml",
    ".idx/dev.nix",
    ".pnpmfile.cjs",
    "sub/.PnpmFile.mjs",
    ".yarn/releases/yarn.cjs",
    ".yarn/plugins/x.cjs",
    "app/.ghci",
    ".iex.exs",
    ".ocamlinit",
    ".perldb",
    ".hg/hgrc",
    "sub/.hg/hgrc",
    ".helix/languages.toml",
    "src/.ycm_extra_conf.py",
    ".theia/tasks.json",
    ".local.vimrc",
    ".coderabbit.yaml",
    ".pr_agent.toml",
    "OWNERS",
    "pkg/api/OWNERS",
    "OWNERS_ALIASES",
    ".rultor.yml",
    ".readthedocs.yaml",
    "ios/ci_scripts/ci_post_clone.sh",
    "amplify.yml",
    ".prow.yaml",
    ".packit.yaml",
    "codemagic.yaml",
    ".onedev-buildspec.yml",
    ".cnb.yml",
    "ci/Jenkinsfile.release",
    "release.jenkinsfile",
  ])("covers %s", (path) => {
    expect(isProtectedPath(path)).toBe(true);
  });

  it.each([
    "README.md",
    ".gitignore",
    ".gitattributes",
    ".env.example",
    "app/.env.sample",
    ".npmrc",
    "node_modules.md",
    "src/vscode/tasks.json",
    "docs/envrc",
    "sub/.drone.yml",
    "xlefthook.yml",
    "src/env.ts",
    "env/x",
    "docs/agents.txt",
    "src/agents/index.ts",
    "src/claude/client.ts",
    "sub/.github/x",
    "github/x",
    "src/CODEOWNERS",
    "sub/.loom/x",
    "loom/x",
    "file~1",
    "zz01af~1",
    "src/owners/index.ts",
    "docs/owners.md",
    "s\u0131n\u0131f.md",
  ])("leaves %s alone", (path) => {
    expect(isProtectedPath(path)).toBe(false);
  });

  it("covers what a run names besides, as a file or a folder, in any spelling", () => {
    expect(isProtectedPath("plans/PLAN.md", ["Plans/plan.md"])).toBe(true);
    expect(isProtectedPath("plans/deep/x", ["plans"])).toBe(true);
    expect(isProtectedPath("plans2/x", ["plans"])).toBe(false);
  });
});

describe("packagesFolder", () => {
  it("is the outermost folder of packages that a path lies in", () => {
    expect(packagesFolder("a/node_modules/b/node_modules/c.js")).toBe("a/node_modules");
    expect(packagesFolder("Node_Modules/c.js")).toBe("Node_Modules");
    expect(packagesFolder("src/modules/c.js")).toBeNull();
  });
});

describe("flagOf", () => {
  it.each([
    [".npmrc", "decides where packages come from, or runs while they are installed"],
    ["sub/.NPMRC", "decides where packages come from, or runs while they are installed"],
    [".yarnrc.yml", "decides where packages come from, or runs while they are installed"],
    [".yarn/cache/a.zip", "decides where packages come from, or runs while they are installed"],
    ["pnpm-workspace.yaml", "decides where packages come from, or runs while they are installed"],
    [".pnp.cjs", "decides where packages come from, or runs while they are installed"],
    ["bunfig.toml", "decides where packages come from, or runs while they are installed"],
    [".tool-versions", "decides which programs a build starts"],
    ["mise.local.toml", "decides which programs a build starts"],
    [".config/mise/config.toml", "decides which programs a build starts"],
    [".cargo/config.toml", "decides which programs a build starts"],
    ["gradle/wrapper/gradle-wrapper.jar", "decides which programs a build starts"],
    [".mvn/extensions.xml", "decides which programs a build starts"],
    [".bazelrc", "decides which programs a build starts"],
    ["renovate.json5", "decides what is deployed or kept up to date by itself"],
  ])("says why people should look at %s", (path, why) => {
    expect(flagOf(path)).toBe(why);
  });

  it.each(["package.json", "src/npmrc.ts", "mise/x.ts", "docs/renovate.json"])("passes over %s", (path) => {
    expect(flagOf(path)).toBeNull();
  });
});

describe("the table of watched paths", () => {
  it("is written as names are compared, each once", () => {
    const all = WATCHED.flatMap(({ anywhere = [], atRoot = [], files = [] }) => [
      ...anywhere,
      ...atRoot,
      ...files,
    ]);
    expect(all.map(foldPath)).toEqual(all);
    expect(new Set(all).size).toBe(all.length);
  });
});
