import { pathToFileURL } from "node:url";
import type { SessionSpec } from "../../../ports/harness.ts";
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
    permission: PERMISSIONS[spec.tools],
    ...(files.plugin === null ? {} : { plugin: [pathToFileURL(files.plugin).href] }),
    // The last of its steps is for summing up without tools, so one more is allowed than there may be turns.
    ...(spec.maxTurns === null ? {} : { agent: { build: { steps: spec.maxTurns + 1 } } }),
    ...(model === null ? {} : { small_model: model, ...providerFor(order, model) }),
  };
}

/** Asking nobody is a refusal, so all is either allowed or denied. Sub-agents work without a word in the stream. */
const PERMISSIONS: Readonly<Record<SessionSpec["tools"], object>> = {
  all: { "*": "allow", task: "deny", skill: "deny", question: "deny" },
  read: { "*": "deny", read: "allow", glob: "allow", grep: "allow", list: "allow" },
  none: { "*": "deny" },
};

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
  const own = known ? {} : { npm: "@ai-sdk/openai-compatible", name: named.provider };
  return {
    enabled_providers: [named.provider],
    provider: { [named.provider]: { ...own, options, models: { [named.name]: { ...said, ...thinks } } } },
  };
}
