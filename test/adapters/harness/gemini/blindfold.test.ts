import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createGemini } from "../../../../src/adapters/harness/gemini/gemini.ts";
import { aSandbox } from "../cli/a-sandbox.ts";
import { aCliSpec } from "../cli/read-stream.ts";

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "loom blind-"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

it("keeps a program from finding the repository's settings, and tells nothing that it starts", async () => {
  const tree = join(base, "tree");
  const home = join(base, "home");
  mkdirSync(join(tree, ".gemini"), { recursive: true });
  mkdirSync(home);
  const files = [".env", ".gemini/.env", ".gemini/settings.json", "GEMINI.md"];
  for (const name of files) writeFileSync(join(tree, name), "x");
  const { env } = await createGemini().launch({
    spec: aCliSpec({ tree }),
    sandbox: aSandbox(home, null),
    bin: "/opt/gemini",
    model: "gemini-2.5-pro",
    extraArgs: [],
    modelUrl: "http://127.0.0.1:3128/.loom/model",
    placeholder: "loom-placeholder",
    env: {},
  });
  const program = `
    import { existsSync } from "node:fs";
    const own = process.env.GEMINI_CLI_HOME + "/.gemini/settings.json";
    const paths = [...${JSON.stringify(files.map((name) => join(tree, name)))}, own];
    console.log(JSON.stringify([paths.filter((path) => existsSync(path)), process.env.NODE_OPTIONS ?? null]));`;
  const args = ["--input-type=module", "-e", program];
  const output = execFileSync(process.execPath, args, { env, encoding: "utf8" });
  const own = join(env.GEMINI_CLI_HOME ?? "", ".gemini/settings.json");
  expect(JSON.parse(output)).toEqual([[join(tree, "GEMINI.md"), own], null]);
});
