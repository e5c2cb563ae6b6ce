import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Launch, LaunchOrder } from "../cli/cli.ts";
import { configFor } from "./config.ts";
import { guardPlugin } from "./guard-plugin.ts";

/**
 * How opencode is started. Each session gets a configuration folder of its own, because an agent may have written into
 * that of the session before; only its database is shared, for going on with a conversation.
 *
 * Of the repository its AGENTS.md is read, as people who use the CLI expect, and no configuration. One thing no switch
 * keeps opencode from: it loads what lies in `.opencode/plugin` of the work tree, and plugins that an `opencode.json` there
 * names. See OPENCODE_FILES.
 */
export async function launchOpencode(order: LaunchOrder): Promise<Launch> {
  const { spec, sandbox, bin, model, extraArgs } = order;
  const folder = await writeHome(order);
  return {
    argv: [
      bin,
      "run",
      "--format",
      "json",
      ...option("--model", model),
      "--dir",
      spec.tree,
      // Without a title it asks the model for one.
      "--title",
      "loom",
      ...option("--variant", spec.effort),
      ...option("--session", spec.resume),
      ...extraArgs,
    ],
    env: {
      OPENCODE_CONFIG: join(folder, CONFIG_FILE),
      OPENCODE_DISABLE_PROJECT_CONFIG: "1",
      // Where it looks for a person's own plugins and rules.
      OPENCODE_TEST_HOME: folder,
      XDG_CONFIG_HOME: join(folder, "config"),
      XDG_CACHE_HOME: join(folder, "cache"),
      XDG_STATE_HOME: join(folder, "state"),
      XDG_DATA_HOME: join(sandbox.home, "opencode-data"),
      OPENCODE_DISABLE_AUTOCOMPACT: "1",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_CLAUDE_CODE: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      OPENCODE_DISABLE_EXTERNAL_SKILLS: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_SHARE: "1",
    },
    stdin: spec.task,
  };
}

/** Globs of what opencode would run from a work tree; hidden, it finds nothing there. */
export const OPENCODE_FILES: readonly string[] = [".opencode", "opencode.json", "opencode.jsonc"];

const CONFIG_FILE = "opencode.json";

async function writeHome(order: LaunchOrder): Promise<string> {
  const { spec, sandbox } = order;
  const folder = await mkdtemp(join(sandbox.home, "opencode-"));
  await writePackages(join(folder, "config", "opencode"));
  const rules = join(folder, "rules.md");
  await writeFile(rules, spec.rules);
  const plugin = sandbox.guard === null ? null : join(folder, "guard.js");
  if (sandbox.guard !== null && plugin !== null) await writeFile(plugin, guardPlugin(sandbox.guard));
  const config = configFor(order, { instructions: [rules, join(spec.tree, "AGENTS.md")], plugin });
  await writeFile(join(folder, CONFIG_FILE), JSON.stringify(config, null, 2));
  return folder;
}

/**
 * opencode installs the types for plugins beside its configuration, and waits long for a registry that it can't reach.
 * It does not when a lock file says that they are there.
 */
async function writePackages(folder: string): Promise<void> {
  const dependencies = { "@opencode-ai/plugin": "*" };
  await mkdir(join(folder, "node_modules"), { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ dependencies }));
  await writeFile(join(folder, "package-lock.json"), JSON.stringify({ packages: { "": { dependencies } } }));
}

function option(name: string, value: string | null): string[] {
  return value === null ? [] : [name, value];
}
