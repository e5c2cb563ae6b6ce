import { SANDBOX_MODES } from "../../../core/config/settings/setting-table.ts";
import { InternalError, UserError } from "../../../core/errors.ts";
import type {
  Sandbox,
  SandboxKind,
  SandboxProvider,
  SandboxReport,
  SandboxSpec,
} from "../../../ports/sandbox.ts";
import { createBubblewrapOpener } from "./bubblewrap/bubblewrap.ts";
import { describeBubblewrap, tryBubblewrap } from "./bubblewrap/try-bubblewrap.ts";
import { createContainerOpener, findContainerEngine } from "./container.ts";
import { removeLeftovers } from "./leftovers.ts";
import { removeOldGroups } from "./limits/control-groups.ts";
import { createLimitWatcher, type LimitWatcher } from "./limits/limit-watcher.ts";
import { withinMachine } from "./limits/limits.ts";
import { createOpenOpener } from "./open.ts";
import type { ProviderOptions } from "./provider-options.ts";
import { createWrapperOpener, readWrapper } from "./wrapper.ts";

export type { ProviderOptions } from "./provider-options.ts";

type Choice = {
  readonly kind: SandboxKind;
  readonly report: SandboxReport;
  readonly open: (sandboxSpec: SandboxSpec) => Promise<Sandbox>;
};

const NO_SANDBOX =
  "No sandbox: agents and checks run with your rights and can read your files and use your network.";

/**
 * The sandboxes of this machine. LOOM_SANDBOX_CMD is a choice by itself. What was chosen and does not work is an error, since
 * nobody shall believe in isolation that is not there; only `auto` does without, and says so.
 */
export async function chooseSandboxProvider(options: ProviderOptions): Promise<SandboxProvider> {
  const watcher = createLimitWatcher();
  const { kind, report, open } = await choose(options, watcher);
  await removeLeftovers(options.folder);
  if (options.group) removeOldGroups(Date.now());
  const sandboxes = new Set<Sandbox>();
  let closed = false;
  return {
    kind,
    report,
    async open(sandboxSpec) {
      if (closed) throw new InternalError("the sandboxes are closed");
      const sandbox = await open({ ...sandboxSpec, limits: withinMachine(sandboxSpec.limits) });
      if (closed) {
        await sandbox.close();
        throw new InternalError("the sandboxes were closed meanwhile");
      }
      const entry: Sandbox = {
        ...sandbox,
        async close() {
          await sandbox.close();
          sandboxes.delete(entry);
        },
      };
      sandboxes.add(entry);
      return entry;
    },
    async close() {
      closed = true;
      const results = await Promise.allSettled([...sandboxes].map((sandbox) => sandbox.close()));
      await watcher.close();
      const failures = results.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
      if (failures.length > 0) throw new AggregateError(failures, "failed to close all sandboxes");
    },
  };
}

async function choose(options: ProviderOptions, watcher: LimitWatcher): Promise<Choice> {
  const { env } = options;
  const mode = env.LOOM_SANDBOX?.trim() || "auto";
  if (!isMode(mode)) {
    throw new UserError(`LOOM_SANDBOX is ${JSON.stringify(mode)}, which Loom does not know.`, {
      next: `Set it to one of: ${SANDBOX_MODES.join(", ")}.`,
      exitCode: 2,
    });
  }
  const wrapped = (env.LOOM_SANDBOX_CMD ?? "").trim() !== "";
  if (wrapped && mode !== "auto") {
    throw new UserError(`Both LOOM_SANDBOX=${mode} and LOOM_SANDBOX_CMD are set.`, {
      next: "Unset one of them: LOOM_SANDBOX_CMD brings its own sandbox.",
      exitCode: 2,
    });
  }
  if (wrapped) {
    const wrapper = readWrapper(options);
    return {
      kind: "wrapper",
      report: walled(`${wrapper.join(" ")} (LOOM_SANDBOX_CMD)`),
      open: createWrapperOpener(options, watcher, wrapper),
    };
  }
  if (mode === "container") {
    const engine = await findContainerEngine(env, options.cwd);
    return {
      kind: "container",
      report: walled(`${engine.kind} with the image ${engine.image}`),
      open: createContainerOpener(options, engine, watcher),
    };
  }
  if (mode === "off") {
    return withoutSandbox(
      options,
      "off (LOOM_SANDBOX=off)",
      NO_SANDBOX,
      "Set LOOM_SANDBOX=auto to have one.",
    );
  }
  const trial = await tryBubblewrap(env, options.cwd);
  if (trial.kind === "works") {
    const { bubblewrap } = trial;
    return {
      kind: "bubblewrap",
      report: walled(describeBubblewrap(bubblewrap)),
      open: createBubblewrapOpener(options, bubblewrap, watcher),
    };
  }
  if (mode === "bubblewrap") throw new UserError(trial.reason, { next: trial.next });
  return withoutSandbox(options, `off: ${trial.reason}`, `${NO_SANDBOX} ${trial.reason}`, trial.next);

  function withoutSandbox(given: ProviderOptions, detail: string, warning: string, next: string): Choice {
    return { kind: "off", report: { detail, warning, next }, open: createOpenOpener(given, watcher) };
  }
}

function walled(detail: string): SandboxReport {
  return { detail, warning: null, next: null };
}

function isMode(text: string): text is (typeof SANDBOX_MODES)[number] {
  return (SANDBOX_MODES as readonly string[]).includes(text);
}
