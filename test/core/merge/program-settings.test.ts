import { describe, expect, it } from "vitest";
import { findingTexts } from "../../../src/core/merge/finding-texts.ts";
import { npmrcEntries } from "../../../src/core/merge/npmrc-entries.ts";
import {
  holdsProgramSettings,
  MOST_SETTINGS,
  newProgramSetting,
} from "../../../src/core/merge/program-settings.ts";
import { quickly } from "../../support/quickly.ts";

const found = (path: string, after: string, before: string | null = null) =>
  newProgramSetting(path, before, after)?.setting;

describe("npmrcEntries", () => {
  it("reads what npm reads", () => {
    const text = [
      "; script-shell=./no",
      "  # script-shell=./no",
      "=no",
      " a = b ; rest",
      "\ufeffbom=1",
      '"quo\\u0074ed"="x = y"',
      "'single'='z'",
      "esc\\;aped=\\#1\\x",
      "list[]=1",
      "flag\rnext=2",
      "[in]",
      "side=3",
    ].join("\n");
    expect(npmrcEntries(text).map(({ section, key, value }) => `${section}|${key}|${value}`)).toEqual([
      "|a|b",
      "|bom|1",
      "|quoted|x = y",
      "|single|z",
      "|esc;aped|#1\\x",
      "|list|1",
      "|flag|true",
      "|next|2",
      "in|side|3",
    ]);
  });
});

describe("a setting that names a program", () => {
  it.each([
    ["script-shell=./evil.sh", "script-shell"],
    ["node-options=--require=./evil.cjs", "node-options"],
    ["save-exact=true\r  script-shell = ./evil.sh", "script-shell"],
    ['"script\\u002dshell"=./evil.sh', "script-shell"],
    ["'script-shell'=./evil.sh", "script-shell"],
    ["script-shell[]=./evil.sh", "script-shell"],
    ["SCRIPT_SHELL=./evil.sh", "script-shell"],
    ["\ufeffgit=./evil.sh", "git"],
    ["init.module=./evil.js", "init-module"],
    ["//registry.example.org/:tokenHelper=/tmp/evil", "token-helper"],
    ["package=./evil", "package"],
    ["cache=./evil", "cache"],
    ["pnpmfile=./evil.cjs", "pnpmfile"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: npm puts the environment in there.
    ["${NOTHING?}script-shell=./evil.sh", null],
  ])("is found in an .npmrc: %j", (text, setting) => {
    expect(found("sub/.npmrc", `${text}\n`)).toBe(setting);
  });

  it.each([
    "registry=https://registry.example.org\nsave-exact=true\nengine-strict=true\n",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: npm puts the environment in there.
    "@a:registry=https://x.example/\n//${HOST}/:_authToken=${TOKEN}\n",
    "; script-shell=./evil.sh\n# git=x\n",
    "message=script-shell=./x\n",
  ])("is not found in an .npmrc of %j", (text) => {
    expect(found(".npmrc", text)).toBeUndefined();
  });

  it("may be there already, with the same value", () => {
    const before = "script-shell=bash\n";
    expect(found(".npmrc", `${before}save-exact=true\n`, before)).toBeUndefined();
    expect(found(".npmrc", "script-shell=./bash\n", before)).toBe("script-shell");
    expect(found(".npmrc", "[off]\nscript-shell=bash\n", before)).toBe("script-shell");
    expect(found(".npmrc", "", before)).toBeUndefined();
  });

  it.each([
    [".yarnrc", 'yarn-path "./evil.js"\n', "yarn-path"],
    [".yarnrc", 'a b "yarn-path" ./evil.js\n', "yarn-path"],
    [".yarnrc", '"yarn\\u002dpath" "./evil.js"\n', null],
    [".yarnrc.yml", "yarnPath: ./evil.cjs\n", "yarn-path"],
    [".yarnrc.yml", "{ nodeLinker: pnp, 'yarnPath': ./evil.cjs }\n", "yarn-path"],
    [".yarnrc.yml", '"yarn\\x50ath": ./evil.cjs\n', null],
    [".yarnrc.yml", "plugins:\n  - ./evil.cjs\n", "plugins"],
    [".yarnrc.yml", "- a\n", null],
    [".yarnrc.yml", "a: [\n", null],
    ["pnpm-workspace.yaml", "packages: [a]\nscriptShell: ./evil.sh\n", "script-shell"],
    ["bunfig.toml", 'preload = ["./evil.ts"]\n', "preload"],
    ["bunfig.toml", '"pre\\u006coad" = ["./evil.ts"]\n', null],
  ])("is found in %s: %j", (path, text, setting) => {
    expect(found(path, text)).toBe(setting);
  });

  it.each([
    [".yarnrc", 'registry "https://x.example"\n'],
    [".yarnrc.yml", "nodeLinker: node-modules\nnpmScopes:\n  a:\n    npmRegistryServer: https://x.example\n"],
    ["pnpm-workspace.yaml", "packages:\n  - packages/editor\n  - packages/shell\ncatalog:\n  git: ^1.0.0\n"],
    ["bunfig.toml", '[install]\nregistry = "https://x.example"\n'],
    ["package.json", '{ "scripts": { "shell": "x" } }'],
  ])("is not found in %s: %j", (path, text) => {
    expect(found(path, text)).toBeUndefined();
  });

  it("is found where a list grows by a line that does not name it", () => {
    const before = "nodeLinker: pnp\nplugins:\n  - path: a.cjs\nyarnPath: y.cjs\n";
    expect(found(".yarnrc.yml", before.replace("  - path: a.cjs\n", "$&  - path: b.cjs\n"), before)).toBe(
      "plugins",
    );
    expect(found(".yarnrc.yml", before.replace("pnp", "node-modules"), before)).toBeUndefined();
  });

  it.each(['"', "[", "{a: ", "- ", "? ", "a: [", "&a ", "'"])(
    "is not certain to be absent from a file of nothing but %j, and that is known at once",
    (piece) => {
      const text = piece.repeat(60_000 / piece.length);
      for (const path of [".yarnrc.yml", "pnpm-workspace.yaml"])
        expect(quickly(3_000, () => found(path, text))).toBe(null);
    },
  );

  it("is not looked for in what is nested deeper than settings are, however deep the stack is already", () => {
    const nested = (depth: number): string => `a: ${"[".repeat(depth)}${"]".repeat(depth)}\n`;
    expect(found(".yarnrc.yml", nested(20))).toBeUndefined();
    expect(found(".yarnrc.yml", nested(100))).toBe(null);
    const at = (depth: number): unknown =>
      depth === 0 ? found(".yarnrc.yml", "[".repeat(12_000)) : at(depth - 1);
    for (const depth of [0, 100, 1_000, 4_000]) expect(at(depth)).toBe(null);
  });

  it.each([".npmrc", ".yarnrc", ".yarnrc.yml", "pnpm-workspace.yaml", "bunfig.toml"])(
    "is not certain to be absent from a long %s",
    (path) => {
      const ofLength = (length: number): string => `#${"x".repeat(length - 2)}\n`;
      expect(found(path, ofLength(MOST_SETTINGS))).toBeUndefined();
      expect(found(path, ofLength(MOST_SETTINGS + 1))).toBe(null);
      expect(found(path, "a: 1\n", ofLength(MOST_SETTINGS + 1))).toBe(null);
    },
  );

  it.each(["a: 1\na: 2\n", "a: *b\n", "a: !x 1\n", "a: 1\n---\nb: 2\n", "__proto__: 1\n"])(
    "is not certain to be absent from YAML that can be read in two ways: %j",
    (text) => expect(found(".yarnrc.yml", text)).toBe(null),
  );

  it("is looked for in these files in any spelling, in any folder", () => {
    expect(
      [".npmrc", "a/.NPMRC", "NPMRC~1", "a/b/.yarnrc.yml", "bunfig.toml"].map(holdsProgramSettings),
    ).toEqual([true, true, true, true, true]);
    expect(["npmrc", ".npmrc/x", "docs/.npmrc.md"].map(holdsProgramSettings)).toEqual([false, false, false]);
  });

  it("is refused with a sentence that says who can make the change", () => {
    expect(findingTexts.programSetting(".npmrc", "script-shell")).toMatchInlineSnapshot(
      `"\`.npmrc\` adds or changes \`script-shell\`, which can name a program that package managers run on people's machines. Leave that out: a person has to make this change."`,
    );
    expect(findingTexts.programSetting(".npmrc", null)).toMatchInlineSnapshot(
      `"\`.npmrc\` can't be read for certain, and may name a program that package managers run on people's machines. Leave that out: a person has to make this change."`,
    );
    expect(findingTexts.linkedSettings(".npmrc")).toMatchInlineSnapshot(
      `"\`.npmrc\` is a link, and package managers take settings from where it leads. Make it a file."`,
    );
  });
});
