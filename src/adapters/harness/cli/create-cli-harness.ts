import { randomBytes } from "node:crypto";
import { realpathSync } from "node:fs";
import { sep } from "node:path";
import { readHarnessSettings } from "../../../core/config/harness-settings.ts";
import { UserError } from "../../../core/errors.ts";
import { nextWords } from "../../../core/report/texts/next-words.ts";
import type { Harness, HarnessCheck, SessionSpec } from "../../../ports/harness.ts";
import type { SandboxProvider } from "../../../ports/sandbox.ts";
import { hostPrograms } from "../../os/host-programs.ts";
import type { Environment } from "../agent-environment.ts";
import { splitArguments } from "../split-arguments.ts";
import { startInSandbox } from "../start-in-sandbox.ts";
import { treeAccessFor } from "../tree-access.ts";
import { askVersion } from "./ask-version.ts";
import type { AgentCli } from "./cli.ts";
import { questionIn } from "./question.ts";

export type CliHarnessOptions = {
  readonly sandboxes: SandboxProvider;
  /** The operator's environment; it holds the settings and the key. */
  readonly env: Environment;
  /** Where Loom was started: relative paths in the settings start here. */
  readonly cwd: string;
};

/** The result of a tool comes as one line. Of a longer one nothing but its beginning is kept, for the log. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** An agent CLI as a harness: found, checked, started in a sandbox that never holds its key. */
export function createCliHarness(cli: AgentCli, { sandboxes, env, cwd }: CliHarnessOptions): Harness {
  const settings = readHarnessSettings(env, cli.id);
  const prefix = `LOOM_${cli.id.toUpperCase()}`;
  const model = settings.model ?? cli.defaults.model;
  const allowed = (env.LOOM_MODEL_ALLOW ?? "").split(/[\s,]+/).filter((one) => one !== "");

  const find = (): string => {
    const name = settings.bin ?? cli.program;
    const search = hostPrograms(env, cwd).find(name);
    if (search.kind === "found") return realpathSync(search.path);
    if (search.kind === "not-executable") {
      const next = `Run \`chmod +x ${search.path}\`, or set ${prefix}_BIN to another file.`;
      throw new UserError(`${search.path} is not executable.`, { next });
    }
    const where = search.kind === "in-repository" ? ` outside of the repository, only at ${search.path}` : "";
    throw new UserError(`${name} was not found${where}.`, {
      next: `${cli.install} Or set ${prefix}_BIN to where it is.`,
    });
  };
  const extraArguments = (): string[] => splitArguments(settings.args, `${prefix}_ARGS`);
  const named = (wanted: string | null): string | null => {
    if (!wanted?.startsWith("-")) return wanted;
    throw new UserError(`${wanted} is no name of a model.`, { next: `Fix the plan, or ${prefix}_MODEL.` });
  };
  const doorFor = (wanted: string | null) => {
    const endpoint = cli.endpoint(env, named(wanted ?? model));
    if (endpoint.kind === "missing") throw new UserError(endpoint.reason, { next: endpoint.next });
    return endpoint;
  };
  const sandboxSpecFor = (spec: SessionSpec, bin: string, placeholder: string) => ({
    ...spec.sandboxSpec,
    covered: cli.hides,
    marker: spec.marker,
    tree: spec.tree,
    treeAccess: treeAccessFor(spec.tools),
    home: spec.home,
    shows: [installationOf(bin), ...(spec.shows ?? [])],
    model: { ...doorFor(spec.model).model, placeholder, allowed },
    judge: cli.judgeFor?.(spec) ?? spec.judge,
  });

  return {
    id: cli.id,
    speaks: true,
    model,
    // An empty one says that there is to be none.
    smallModel: (settings.smallModel ?? cli.defaults.smallModel) || null,
    keepsBudget: cli.keepsBudget ?? false,

    async check(): Promise<HarnessCheck> {
      try {
        const bin = find();
        extraArguments();
        const { keyName } = doorFor(null);
        const version = await askVersion(sandboxes, bin, installationOf(bin));
        const chosen = model === null ? "the CLI's own model" : `model ${model}`;
        return { kind: "ready", detail: `${version}, ${chosen}, key from ${keyName} (${bin})` };
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        return {
          kind: "missing",
          reason: error.message,
          next: nextWords(error.next, "terminal") || cli.install,
        };
      }
    },

    start(spec) {
      const chosen = spec.model ?? model;
      const placeholder = `loom-${randomBytes(16).toString("hex")}`;
      return startInSandbox(sandboxes, {
        prepare: () => {
          const bin = find();
          return {
            sandboxSpec: sandboxSpecFor(spec, bin, placeholder),
            launch: (sandbox) => {
              if (sandbox.modelUrl === null) throw new Error("failed to open an endpoint to the model");
              const order = { spec, sandbox, bin, model: chosen, extraArgs: extraArguments() };
              return cli.launch({ ...order, modelUrl: sandbox.modelUrl, placeholder, env });
            },
          };
        },
        tree: spec.tree,
        reader: cli.createReader({ spec, model: chosen, env, home: spec.home }),
        maxLineBytes: MAX_LINE_BYTES,
        questionIn,
      });
    },
  };
}

/** All that the program consists of: packages of npm lie beside each other, other programs stand alone. */
function installationOf(bin: string): string {
  const packages = `${sep}node_modules${sep}`;
  const at = bin.indexOf(packages);
  return at < 0 ? bin : bin.slice(0, at + packages.length - 1);
}
