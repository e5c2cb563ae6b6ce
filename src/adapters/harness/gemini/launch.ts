import { mkdir, mkdtemp, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ToolAccess } from "../../../ports/harness.ts";
import type { Launch, LaunchOrder } from "../cli/cli.ts";
import { makeFolder } from "../cli/put-file.ts";
import { conversationsIn } from "./conversations.ts";
import { policyFor } from "./policy.ts";
import { RULES_FILE, settingsFor } from "./settings.ts";

/**
 * How gemini is started. Each session gets a settings folder of its own, because an agent may have written into that of
 * the session before; only the conversations are shared, for going on with one.
 *
 * Of the repository its GEMINI.md and AGENTS.md are read, as people who use the CLI expect. Its settings and `.env` files
 * are not: they could switch off the guard. With `--skip-trust` the CLI has read its settings before it learns that the
 * folder is trusted, so those of the repository are left out; the `.env` files it reads later, and there is no switch for
 * that. So it is made blind to them. Its place for settings of the system, which would overrule those of the repository,
 * has to belong to root, which nothing in a sandbox does.
 */
export async function launchGemini(order: LaunchOrder): Promise<Launch> {
  const { spec, sandbox, bin, model, extraArgs, modelUrl, placeholder } = order;
  const home = await writeHome(order);
  return {
    argv: [
      bin,
      "--output-format",
      "stream-json",
      ...option("--model", model),
      "--approval-mode",
      "yolo",
      "--skip-trust",
      "--policy",
      join(home, POLICY_FILE),
      ...option("--resume", spec.resume),
      ...extraArgs,
    ],
    env: {
      GEMINI_CLI_HOME: home,
      GEMINI_API_KEY: placeholder,
      GOOGLE_GEMINI_BASE_URL: modelUrl,
      // It would start itself a second time, to give itself half of the machine's memory.
      GEMINI_CLI_NO_RELAUNCH: "true",
      NO_COLOR: "1",
      NODE_OPTIONS: [sandbox.env.NODE_OPTIONS, `--require ${JSON.stringify(join(home, BLINDFOLD_FILE))}`]
        .filter(Boolean)
        .join(" "),
    },
    stdin: promptFor(spec.task),
  };
}

const POLICY_FILE = "policy.toml";
const BLINDFOLD_FILE = "blindfold.cjs";

async function writeHome({ spec, sandbox, model }: LaunchOrder): Promise<string> {
  const home = await mkdtemp(join(sandbox.home, "gemini-"));
  const folder = join(home, ".gemini");
  await mkdir(folder);
  await makeFolder(sandbox.home, conversationsIn(sandbox.home));
  await symlink(conversationsIn(sandbox.home), join(folder, "tmp"));
  await writeFile(join(folder, RULES_FILE), `${spec.rules.trimEnd()}\n\n${hintsFor(spec.tools)}`.trimStart());
  await writeFile(join(folder, "settings.json"), JSON.stringify(settingsFor(spec, sandbox, model), null, 2));
  await writeFile(join(home, POLICY_FILE), policyFor(spec.tools));
  await writeFile(join(home, BLINDFOLD_FILE), blindfold(sandbox.env.NODE_OPTIONS));
  return home;
}

/** What an agent can't know about this CLI when nobody sits in front of it. */
function hintsFor(tools: ToolAccess): string {
  switch (tools) {
    case "all":
      return `${AT_SIGN}${BUILD_FILES}${BY_SHELL}`;
    case "edit":
      return `${AT_SIGN}${BUILD_FILES}${BY_NOBODY}`;
    default:
      return AT_SIGN;
  }
}

const AT_SIGN = "In the task, `\\@` stands for a plain at sign.\n";
const BUILD_FILES = `The tools write_file and replace refuse build files such as package.json, Makefile or Cargo.toml, because nobody is there
to confirm it.`;
const BY_SHELL =
  " Where the task needs such a file changed, that is approved: change it with run_shell_command.\n";
const BY_NOBODY = " Where the task needs such a file changed, say so in your last words.\n";

/**
 * The CLI takes each at sign in a prompt for the path of a file, which it adds, and puts a blank before it; a slash at the
 * beginning for a command of its own.
 */
function promptFor(task: string): string {
  const text = task.replaceAll("@", "\\@");
  return text.trimStart().startsWith("/") ? `Task:\n${text}` : text;
}

/** Loaded into the CLI before anything else, and into nothing that the CLI starts. */
function blindfold(options: string | undefined): string {
  return `"use strict";
${options === undefined ? "delete process.env.NODE_OPTIONS" : `process.env.NODE_OPTIONS = ${JSON.stringify(options)}`};
const fs = require("node:fs");
const path = require("node:path");
const { syncBuiltinESMExports } = require("node:module");

const own = process.env.GEMINI_CLI_HOME + path.sep;
const { existsSync } = fs;
fs.existsSync = (file) => {
  const hidden = typeof file === "string" && !file.startsWith(own) && ${HIDDEN}.test(file);
  return !hidden && existsSync(file);
};
syncBuiltinESMExports();
`;
}

const HIDDEN = /(?:^|[\\/])(?:\.env|\.gemini[\\/]settings\.json)$/;

function option(name: string, value: string | null): string[] {
  return value === null ? [] : [name, value];
}
