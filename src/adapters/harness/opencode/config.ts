import { pathToFileURL } from "node:url";
import type { SessionSpec, ToolAccess } from "../../../ports/harness.ts";
import type { LaunchOrder } from "../cli/cli.ts";
import { providerOf, splitModel } from "./providers.ts";
import { operatorsWindow, windowOf } from "./window.ts";

export type ConfigFiles = {
  /** Absolute; what is not there is passed over. */
  readonly instructions: readonly string[];
  readonly plugin: string | null;
};

/** opencode's configuration for one session. */
export function configFor(order: LaunchOrder, files: ConfigFiles): object {
  const { spec, model } = order;
  return {
    autoupdate: false,
    share: "disabled",
    // It would copy the work tree into a repository of its own at each step.
    snapshot: false,
    compaction: { auto: false, prune: false },
    instructions: files.instructions,
    permission: { ...PERMISSIONS[spec.tools], ...shownTo(spec) },
    ...(files.plugin === null ? {} : { plugin: [pathToFileURL(files.plugin).href] }),
    ...agentFor(spec),
    ...(model === null ? {} : { small_model: model, ...providerFor(order, model) }),
  };
}

const READING = { "*": "deny", read: "allow", glob: "allow", grep: "allow", list: "allow" };

/**
 * Asking nobody is a refusal, so all is either allowed or denied. Sub-agents work without a word in the stream. `edit` stands
 * for all tools that write files. A command that names a path outside of the tree, such as the temporary folder, needs
 * `external_directory` too; what can be reached there is the sandbox's to say.
 */
const PERMISSIONS: Readonly<Record<ToolAccess, object>> = {
  all: { "*": "allow", task: "deny", skill: "deny", question: "deny" },
  edit: { ...READING, edit: "allow" },
  shell: { ...READING, bash: "allow", external_directory: "allow" },
  read: READING,
  none: { "*": "deny" },
};

/** Its tools read nothing outside of the tree unless they are told that they may. */
function shownTo({ tools, shows = [] }: SessionSpec): object {
  if (shows.length === 0 || "external_directory" in PERMISSIONS[tools] || tools === "all") return {};
  return {
    external_directory: {
      "*": "deny",
      ...Object.fromEntries(shows.map((folder) => [`${folder}/*`, "allow"])),
    },
  };
}

function agentFor({ maxTurns, temperature }: SessionSpec): object {
  const build = {
    // The last of its steps is for summing up without tools, so one more is allowed than there may be turns.
    ...(maxTurns === null ? {} : { steps: maxTurns + 1 }),
    ...(temperature === null ? {} : { temperature }),
  };
  return Object.keys(build).length === 0 ? {} : { agent: { build } };
}

/** Of its answer; the window has to hold it too. */
const MOST_OUTPUT = 32_000;

function providerFor({ spec, modelUrl, placeholder, env }: LaunchOrder, model: string): object {
  const named = splitModel(model);
  if (named === null) return {};
  const options = { baseURL: modelUrl, apiKey: placeholder };
  const context = windowOf(env, model);
  const limit = { context, output: Math.min(MOST_OUTPUT, Math.floor(context / 4)) };
  const known = providerOf(named) !== null;
  // Of known models opencode knows limits and prices; what is said here would take their place.
  const said = known && operatorsWindow(env) === null ? {} : { limit };
  // Only a model that thinks is told how hard to, and of its own ones opencode knows which do.
  const thinks = known || spec.effort === null ? {} : { reasoning: true };
  // Nor is a temperature sent to a model that is not known to take one.
  const warms = known || spec.temperature === null ? {} : { temperature: true };
  const own = known ? {} : { npm: "@ai-sdk/openai-compatible", name: named.provider };
  return {
    enabled_providers: [named.provider],
    provider: {
      [named.provider]: { ...own, options, models: { [named.name]: { ...said, ...thinks, ...warms } } },
    },
  };
}
