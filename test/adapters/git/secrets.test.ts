import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scanAddedText, secretFindings } from "../../../src/adapters/git/commit/scan-added-text.ts";
import { createGitWorkspace } from "../../../src/adapters/git/workspace.ts";
import { createSecretScan } from "../../../src/core/merge/secret-scan.ts";
import {
  commitSpec,
  commitTree,
  makeBench,
  makeRepo,
  type TestRepo,
  writeFiles,
} from "../../support/git-repo.ts";

const VALUE = "q7Zp/4kLm+9xW2v=N8t";
const SECRETS = createSecretScan({ DEPLOY: VALUE, LOOM_PASS_ENV: "DEPLOY" });
// Made up here, so that this file holds none.
const GITHUB_TOKEN = `ghp_${"R5sH3bGfC1jEoAu6Kd0XvB7nMq2LzTy9PwEi"}`;
const PRIVATE_KEY = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" });
const RSA_KEY = `-----BEGIN RSA PRIVATE KEY-----\n${randomBytes(120).toString("base64")}\n-----END RSA PRIVATE KEY-----\n`;

async function judge(repo: TestRepo, work: (path: string) => void, message = "work\n") {
  const { repoGit, treesRoot } = await makeBench(repo);
  const workspace = createGitWorkspace({ git: repoGit, treesRoot, secrets: SECRETS });
  const base = repo.sha("HEAD");
  const tree = await workspace.open(base);
  work(tree.path);
  const outcome = await workspace.commit(tree, commitSpec(base, { message }));
  const stripped = await workspace.commit(tree, commitSpec(base, { message, onForbidden: "strip" }));
  const findings = outcome.kind === "refused" ? outcome.findings : [];
  return {
    outcome,
    found: findings.map(({ rule, path }) => `${rule} ${path}`),
    messages: findings.map((finding) => finding.message),
    kept: stripped.kind === "committed" ? stripped.files : [],
  };
}

const wrote = (files: Record<string, string>) => (path: string) => writeFiles(path, files);

describe("a secret that Loom was given", () => {
  it.each([
    ["as it is", `token = "${VALUE}"\n`],
    ["in base64", `${Buffer.from(`user:${VALUE}`).toString("base64")}\n`],
    ["in hex", `${Buffer.from(VALUE).toString("hex")}\n`],
    ["as part of an address", `https://x.example/?t=${encodeURIComponent(VALUE)}\n`],
    ["turned around", `${[...VALUE].reverse().join("")}\n`],
    ["broken into lines", `${VALUE.slice(0, 6)}\n${VALUE.slice(6, 12)}\n${VALUE.slice(12)}\n`],
    ["without a line feed", VALUE],
    ["in the middle of a file without lines", `${"x".repeat(300_000)} ${VALUE} ${"y".repeat(300_000)}`],
    ["at the border of what is looked at in one go", `${"x ".repeat(131_065)}${VALUE}${" y".repeat(200)}`],
    ["among zeros, as in UTF-16", Buffer.from(VALUE, "utf16le").toString("latin1")],
    ["in a file that attributes call binary", `\0\0\0${VALUE}\0`],
  ])("is not committed %s", async (_name, text) => {
    const repo = makeRepo({ "a.txt": "a\n", ".gitattributes": "*.dat -diff -text\n" });
    const { found, messages, kept } = await judge(repo, wrote({ "src/x.dat": text, "fine.txt": "fine\n" }));
    expect(found).toEqual(["secret src/x.dat"]);
    expect(messages).toEqual([
      "`src/x.dat` holds a secret that Loom was given, plain or encoded. Remove it, and read it from the environment where it is needed.",
    ]);
    expect(kept).toEqual(["fine.txt"]);
  });

  it("is not committed as a name, a folder or the goal of a link, nor said by the refusal", async () => {
    const plain = VALUE.replace(/[^A-Za-z0-9]/g, "");
    const { found, messages } = await judge(makeRepo({ "a.txt": "a\n" }), (path) => {
      writeFiles(path, { [`${plain}.txt`]: "x\n", [`a-${Buffer.from(VALUE).toString("hex")}/b`]: "x\n" });
      symlinkSync(`./${plain}`, join(path, "link"));
    });
    expect(found.length).toBe(3);
    expect(messages.join("\n")).not.toMatch(/q7zp|37375a70/i);
    expect(messages.filter((text) => text.includes("[secret]")).length).toBe(2);
    expect(messages).toContain("The name of `[secret].txt` holds a secret. Rename it.");
  });

  it("is taken out of the message of a commit", async () => {
    const repo = makeRepo({ "a.txt": "a\n" });
    const { outcome } = await judge(repo, wrote({ "b.txt": "b\n" }), `Use ${VALUE}\n`);
    if (outcome.kind !== "committed") throw new Error("it was refused");
    expect(repo.git("log", "-1", "--format=%s", outcome.commit)).toBe("Use [secret]");
  });
});

describe("what looks like a key", () => {
  it.each([
    ["a token of GitHub", `const t = "${GITHUB_TOKEN}";\n`],
    ["a private key", PRIVATE_KEY],
    ["an RSA key", RSA_KEY],
    ["an RSA key with dots in it, as in an example", RSA_KEY.replace("\n-----END", "\n...$&")],
    ["a key of AWS", `AKIA${"QZ7KP4LM9XW2VN8T"}\n`],
  ])("is not committed: %s", async (_name, text) => {
    const { found, messages } = await judge(makeRepo({ "a.txt": "a\n" }), wrote({ "k.ts": String(text) }));
    expect(found).toEqual(["secret k.ts"]);
    expect(messages).toEqual([
      "`k.ts` adds what looks like a private key or an access token. Remove it. Where a test needs one, make it up while the test runs.",
    ]);
  });

  it("is left alone where the base has it: unchanged, beside a change, moved, or removed", async () => {
    const repo = makeRepo({
      "test/key.pem": String(PRIVATE_KEY),
      "old.ts": `first\nconst t = "${GITHUB_TOKEN}";\nlast\n`,
      "gone.ts": `${VALUE}\n`,
    });
    const { outcome } = await judge(repo, (path) => {
      mkdirSync(join(path, "fixtures"));
      renameSync(join(path, "test/key.pem"), join(path, "fixtures/key.pem"));
      writeFiles(path, { "old.ts": `changed\nconst u = "${GITHUB_TOKEN}";\nlast\n`, "gone.ts": "\n" });
    });
    expect(outcome.kind).toBe("committed");
  });

  it("is an example in documents and tests", async () => {
    const text = [
      "AKIAIOSFODNN7EXAMPLE",
      `ghp_${"x".repeat(36)}`,
      "sk-ant-api03-your-key-here-1234567890",
      "-----BEGIN PRIVATE KEY-----\nMIIB...\n-----END PRIVATE KEY-----",
      "-----BEGIN PUBLIC KEY-----",
    ].join("\n");
    const { outcome } = await judge(makeRepo({ "a.txt": "a\n" }), wrote({ "README.md": text }));
    expect(outcome.kind).toBe("committed");
  });
});

describe("looking for secrets", () => {
  it("refuses what is too much to look through, and whatever comes behind it", async () => {
    const repo = makeRepo({ "a.txt": "a\n", "z.txt": "z\n" });
    const { repoGit, workspace } = await makeBench(repo);
    const base = repo.sha("HEAD");
    const tree = await workspace.open(base);
    writeFiles(tree.path, { "b.txt": "b\n", "c.txt": "c\n".repeat(60_000), "d.txt": VALUE });
    const commit = await commitTree(workspace, tree, base);
    expect(await workspace.changedFiles(base, commit)).toEqual(["b.txt", "c.txt", "d.txt"]);
    const [from, to] = [base, commit].map((one) => repo.sha(`${one}^{tree}`));
    const leaks = await scanAddedText(repoGit, from ?? "", to ?? "", SECRETS, 100_000);
    const change = (path: string) => ({
      path,
      mode: "100644",
      sha: repo.git("hash-object", join(tree.path, path)),
      oldMode: null,
      oldSha: "0".repeat(40),
    });
    const findings = secretFindings(["b.txt", "c.txt", "d.txt"].map(change), leaks, SECRETS);
    expect(findings.map(({ path }) => path)).toEqual(["c.txt", "d.txt"]);
    expect(findings[0]?.message).toBe(
      "`c.txt` could not be searched for secrets: a change may add at most 536.9 MB. Add less.",
    );
  });

  it("takes a leak whose place is unknown for one everywhere", () => {
    const leaks = { blobs: new Map([["f".repeat(40), new Set(["known" as const])]]), read: null };
    const change = { path: "a", mode: "100644", sha: "a".repeat(40), oldMode: null, oldSha: "" };
    expect(secretFindings([change], leaks, SECRETS)).toHaveLength(1);
  });

  it("finds a secret in the last of many files, with one diff of them all", async () => {
    const bench = await makeBench(makeRepo({ "a.txt": "a\n" }));
    const workspace = createGitWorkspace({
      git: bench.repoGit,
      treesRoot: bench.treesRoot,
      secrets: SECRETS,
    });
    const base = bench.repo.sha("HEAD");
    const tree = await workspace.open(base);
    for (let n = 0; n < 500; n += 1) writeFileSync(join(tree.path, `f${n}.txt`), `${n}\n`.repeat(20));
    writeFileSync(join(tree.path, "zz.txt"), VALUE);
    const before = bench.calls.length;
    const outcome = await workspace.commit(tree, commitSpec(base));
    expect(outcome).toMatchObject({ kind: "refused", findings: [{ path: "zz.txt" }] });
    expect(bench.calls.slice(before).filter(({ args }) => args.includes("diff-tree")).length).toBe(1);
  });
});
