import { describe, expect, it } from "vitest";
import { plainRequirements, requirementsOfProject } from "../../../src/core/setup/plain-requirements.ts";

describe("plainRequirements", () => {
  it("keeps names and versions", () => {
    const text = [
      "# comment",
      "requests==2.31.0",
      "flask[async] >= 2.0, < 3  # why",
      'tomli~=2.0 ; python_version < "3.11"',
      "pinned==1.0 \\",
      "    --hash=sha256:aaaa \\",
      "    --hash=sha256:bbbb",
    ].join("\n");
    expect(plainRequirements(text)).toBe(
      'requests==2.31.0\nflask[async] >= 2.0, < 3\ntomli~=2.0 ; python_version < "3.11"\npinned==1.0\n',
    );
  });

  it.each([
    "-e .",
    "--editable=.",
    ".",
    "./local",
    "/abs/path",
    "local.whl/../x",
    "git+https://example.com/a.git",
    "a @ git+https://example.com/a.git",
    "a @ file:///etc/x",
    "https://example.com/a.tar.gz",
    "--no-binary :all:",
    "--no-binary=:all:",
    "--index-url https://example.com",
    "--extra-index-url=https://example.com",
    "--find-links .",
    "-r other.txt",
    "-c x.txt",
    "a==1 --global-option=x",
    "a==1 --config-settings=x=y",
    "$HOME",
    `a==${"1".repeat(600)}`,
  ])("leaves out %s", (line) => {
    expect(plainRequirements(`first\n${line}\nlast\n`)).toBe("first\nlast\n");
  });

  it("takes time in step with the text", () => {
    const text = `a${"=".repeat(200_000)}\n${"a ".repeat(200_000)}\n${"[".repeat(200_000)}`;
    const began = performance.now();
    plainRequirements(text);
    requirementsOfProject(text);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});

describe("requirementsOfProject", () => {
  it("reads what builds, what runs and what extras need", () => {
    const text = `
[build-system]
requires = ["setuptools>=61", 'wheel']  # [x]
build-backend = "setuptools.build_meta"

[project]
name = "app"
dependencies = [
  "requests[socks]>=2",  # a ] in a comment
  "b @ https://example.com/b.tar.gz",
]
[project.optional-dependencies]
dev = ["pytest"]
[tool.x]
list = ["not-this"]
`;
    expect(requirementsOfProject(text)).toBe("setuptools>=61\nwheel\nrequests[socks]>=2\npytest\n");
  });

  it("knows what builds a project that does not say so", () => {
    expect(requirementsOfProject("")).toBe("setuptools\nwheel\n");
    expect(requirementsOfProject("[tool.black]\nline-length = 100\n")).toBe("setuptools\nwheel\n");
  });
});
