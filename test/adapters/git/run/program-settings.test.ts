import { describe, expect, it } from "vitest";
import { judgePrograms } from "../../../../src/adapters/git/run/program-settings.ts";

const HOST: Parameters<typeof judgePrograms>[1] = {
  isInRepository: (path) => path.startsWith("/repo/"),
  find: (name) =>
    name === "git-crypt" ? { kind: "in-repository", path: "/repo/git-crypt" } : { kind: "not-found" },
};

function judge(settings: Readonly<Record<string, string>>, file = "/home/pat/.gitconfig", host = HOST) {
  const list = Object.entries(settings).map(([key, value]) => ({ file, key, value }));
  return judgePrograms(list, host, (path) => path.startsWith("/repo/"));
}

const SAFE: typeof HOST = { ...HOST, find: () => ({ kind: "not-found" }) };

describe("filters of a person's git", () => {
  it.each([
    "git-lfs clean -- %f",
    "git-lfs smudge -- %f",
    "git-lfs smudge --skip -- %f",
    "git-lfs filter-process",
    "git-lfs filter-process --skip",
    "git lfs clean %f",
    "git lfs smudge -- %f",
    "git lfs filter-process",
    "/opt/homebrew/bin/git-lfs filter-process",
    '"git-crypt" clean',
    '"/usr/bin/git-crypt" smudge --key-name=team',
  ])("are run when they load nothing from the work tree: %s", (command) => {
    expect(judge({ "filter.x.clean": command }, undefined, SAFE)).toEqual({
      overrides: [],
      refused: new Map(),
      ofRepository: null,
    });
  });

  it.each([
    "./tools/clean.sh",
    "tools/clean.sh",
    "cat",
    '"/usr/bin/python3" -m nbstripout',
    "/usr/bin/clean",
    "/repo/bin/git-lfs filter-process",
    "./git-lfs filter-process",
    "bin/git-lfs filter-process",
    "git-lfs filter-process; ./x",
    "git-lfs clean -- %f | ./x",
    "git-lfs clean -- %f\n./x",
    "x=1 git-lfs filter-process",
    "git-lfs filter-process $(./x)",
    "git -c alias.lfs=!./x lfs filter-process",
    '"git-crypt" clean',
    '"git-crypt" clean --key-file=./key',
  ])("are not run when they could: %j", (command) => {
    for (const kind of ["clean", "smudge", "process"]) {
      const { overrides, refused } = judge({ [`filter.a.b=c.${kind}`]: command });
      expect(refused).toEqual(new Map([["a.b=c", command]]));
      expect(overrides).toEqual([
        ["filter.a.b=c.clean", ""],
        ["filter.a.b=c.smudge", ""],
        ["filter.a.b=c.process", ""],
        ["filter.a.b=c.required", "true"],
      ]);
    }
  });

  it("are not run as a whole when one of their commands is not", () => {
    const { refused } = judge({ "filter.x.clean": "git-lfs clean -- %f", "filter.x.smudge": "./smudge" });
    expect([...refused]).toEqual([["x", "./smudge"]]);
  });

  it.each(["lfs.extension.x.clean", "lfs.extension.x.smudge", "lfs.customtransfer.x.path"])(
    "are not run when git-lfs would start a program in turn: %s",
    (key) => {
      expect(judge({ "filter.lfs.process": "git-lfs filter-process", [key]: "./x" }).refused.size).toBe(1);
    },
  );
});

describe("programs that git-lfs connects by", () => {
  it.each<[string, string]>([
    ["credential.helper", "store"],
    ["credential.helper", "cache --timeout=3600"],
    ["credential.helper", "/usr/lib/git-core/git-credential-libsecret"],
    ["credential.helper", ""],
    ["credential.https://github.com.helper", "!gh auth git-credential"],
    ["credential.https://github.com.helper", "!/usr/bin/gh auth git-credential"],
    ["core.sshcommand", "ssh -i ~/.ssh/work -o IdentitiesOnly=yes"],
  ])("are left alone: %s=%s", (key, value) => {
    expect(judge({ [key]: value }).overrides).toEqual([]);
  });

  it.each<[string, string, [string, string]]>([
    ["credential.helper", "!./tools/credentials", ["credential.helper", ""]],
    ["credential.helper", "/repo/git-credential-x", ["credential.helper", ""]],
    ["credential.helper", "/usr/bin/python3 -mx", ["credential.helper", ""]],
    ["credential.https://x.y.helper", "!f() { ./x; }; f", ["credential.helper", ""]],
    ["core.sshcommand", "./tools/ssh", ["core.sshCommand", "ssh"]],
    ["core.sshcommand", "ssh -F tools/config", ["core.sshCommand", "ssh"]],
    ["core.sshcommand", "ssh -o ProxyCommand=./x", ["core.sshCommand", "ssh"]],
    ["core.sshcommand", "/repo/bin/ssh", ["core.sshCommand", "ssh"]],
    ["core.askpass", "./ask", ["core.askPass", ""]],
  ])("are replaced: %s=%s", (key, value, override) => {
    expect(judge({ [key]: value }).overrides).toEqual([override]);
  });
});

describe("settings in a file of the repository", () => {
  it.each(["filter.x.clean", "core.attributesfile", "include.path", "lfs.url", "credential.helper"])(
    "are found when git would obey them: %s",
    (key) => {
      expect(judge({ [key]: "x" }, "/repo/dev/gitconfig").ofRepository).toMatchObject({ key });
      expect(judge({ [key]: "x" }).ofRepository).toBeNull();
    },
  );

  it.each(["alias.st", "blame.ignorerevsfile", "diff.x.textconv", "pull.rebase"])(
    "do not matter otherwise: %s",
    (key) => {
      expect(judge({ [key]: "x" }, "/repo/dev/gitconfig").ofRepository).toBeNull();
    },
  );
});
