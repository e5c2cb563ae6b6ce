import { spawnSync } from "node:child_process";
import { build } from "esbuild";
import { parse } from "yaml";

type Step = { readonly run?: string };
type Job = { readonly "runs-on"?: string; readonly strategy?: object; readonly steps?: readonly Step[] };

/** The actions that workflows may use, with those of their inputs that ours set. Their `action.yml` has them all. */
export const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  "actions/attest-build-provenance": ["subject-name", "subject-digest", "push-to-registry"],
  "actions/checkout": ["fetch-depth", "persist-credentials", "ref"],
  "actions/setup-node": ["cache", "node-version"],
  "actions/upload-artifact": ["name", "path"],
  "github/codeql-action/analyze": ["category"],
  "github/codeql-action/init": ["build-mode", "languages"],
};

const RUNNERS = ["ubuntu-latest", "ubuntu-24.04-arm", "macos-latest"];

/**
 * Every mistake of a workflow as `<line>: <what is wrong>`: GitHub's own schema and expressions by GitHub's language service, and what that
 * leaves out: machines, the syntax of scripts, and values of others that would become part of one.
 */
export async function lintWorkflow(name: string, text: string): Promise<string[]> {
  const { TextDocument, validate } = await languageService;
  // The service remembers what it read by its address.
  const document = TextDocument.create(`file:///.github/workflows/${linted++}-${name}`, "yaml", 1, text);
  const found = await validate(document, {
    actionsMetadataProvider: {
      fetchActionMetadata: async ({ owner, name, path }) => {
        const inputs = ACTIONS[[owner, name, path].filter(Boolean).join("/")];
        if (inputs === undefined) return undefined;
        return { name, description: "", inputs: Object.fromEntries(inputs.map((one) => [one, ANY_INPUT])) };
      },
    },
  });
  const problems = found.map(({ range, message }) => `${range.start.line + 1}: ${message}`);
  if (problems.length > 0) return problems;
  return Object.entries<Job>(parse(text).jobs).flatMap(([id, job]) => [
    ...machinesOf(job)
      .filter((one) => !RUNNERS.includes(one))
      .map((one) => `${id}: no machine is called ${one}`),
    ...(job.steps ?? []).flatMap(({ run }) => (run === undefined ? [] : lintScript(run))),
  ]);
}

/** It imports JSON as bundlers do and Node does not. */
const languageService = loadBundled<
  typeof import("@actions/languageservice/validate") & typeof import("vscode-languageserver-textdocument")
>("@actions/languageservice/validate", "vscode-languageserver-textdocument");

async function loadBundled<T>(...names: readonly string[]): Promise<T> {
  const { outputFiles } = await build({
    stdin: {
      contents: names.map((name) => `export * from "${name}";`).join("\n"),
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
  });
  const code = Buffer.concat(outputFiles.map(({ contents }) => contents)).toString("base64");
  return import(/* @vite-ignore */ `data:text/javascript;base64,${code}`);
}

const ANY_INPUT = { description: "" };
let linted = 0;

function machinesOf({ "runs-on": machine = "", strategy = {} }: Job): string[] {
  const key = /^\$\{\{ matrix\.(\w+) \}\}$/.exec(machine)?.[1];
  if (key === undefined) return [machine];
  return Array.from(
    JSON.stringify(strategy).matchAll(new RegExp(`"${key}":"([^"]+)"`, "g")),
    ([, one = ""]) => one,
  );
}

function lintScript(script: string): string[] {
  const [line = ""] = script.trim().split("\n");
  if (script.includes("${{"))
    return [`${line}: hand values to scripts by \`env\`, where they can't become code`];
  const { status, stderr } = spawnSync("bash", ["-n"], { input: script, encoding: "utf8" });
  return status === 0 ? [] : [`${line}: ${stderr.trim()}`];
}
