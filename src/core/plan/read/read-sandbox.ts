import { type HostList, namedHostProblem, opensAll, privateHostProblem } from "../../network/host-problem.ts";
import { plainHostRule } from "../../network/plain-host-rule.ts";
import { resolveInTree } from "../../paths/tree-path.ts";
import { quote } from "../../text/quote.ts";
import { NO_SANDBOX_RULES, type SandboxLimits, type SandboxRules } from "../plan.ts";
import type { Reporter } from "../report-problems.ts";
import type { WrittenSandbox } from "../sandbox-schema.ts";
import { pickOne } from "./pick-one.ts";
import type { Path } from "./read-yaml.ts";

type Written = readonly string[] | undefined;

/** A `sandbox:` block whose shape is right, with one spelling for everything. */
export function readSandbox(written: WrittenSandbox | undefined, at: Path, reporter: Reporter): SandboxRules {
  if (written === undefined) return NO_SANDBOX_RULES;
  const { filesystem = {}, network = {}, limits = {} } = written;
  const pick = pickOne(written, at, reporter);
  const pickPath = pickOne(filesystem, [...at, "filesystem"], reporter);
  const pickHost = pickOne(network, [...at, "network"], reporter);
  const place = (group: "filesystem" | "network", fields: object, ...names: string[]): Path => {
    const name = names.find((one) => Reflect.get(fields, one) !== undefined) ?? names[0] ?? "";
    return [...at, group, name];
  };
  const paths = (snake: keyof typeof filesystem, camel: keyof typeof filesystem): string[] =>
    readPaths(pickPath(snake, camel), place("filesystem", filesystem, snake, camel), reporter);
  const hosts = (list: HostList, ...more: (keyof typeof network)[]): string[] =>
    readHosts(pickHost(list, ...more), list, place("network", network, list, ...more), reporter);

  if (written.enabled === false) {
    reporter.warning(
      [...at, "enabled"],
      "A plan can't switch the sandbox off; only the operator can.",
      "Remove it, and name what the work needs: `network`, `filesystem`.",
      "sandbox-off",
    );
  }
  const excluded = written.excluded_commands === undefined ? "excludedCommands" : "excluded_commands";
  return {
    enabled: written.enabled ?? null,
    filesystem: {
      denyRead: paths("deny_read", "denyRead"),
      denyWrite: paths("deny_write", "denyWrite"),
      allowWrite: paths("allow_write", "allowWrite"),
    },
    network: {
      allowedDomains: hosts("allowed_domains", "allowedDomains"),
      setup: hosts("setup"),
      checks: hosts("checks"),
    },
    excludedCommands: readCommands(
      pick("excluded_commands", "excludedCommands"),
      [...at, excluded],
      reporter,
    ),
    limits: {
      processes: limits.processes ?? null,
      memoryMb: limits.memory_mb ?? null,
      fileMb: limits.file_mb ?? null,
      diskMb: limits.disk_mb ?? null,
    },
  };
}

/** What is outside of the work tree can neither be read nor written anyway: to forbid it is nothing, to allow it is no use. */
function readPaths(written: Written, at: Path, reporter: Reporter): string[] {
  const allows = /^allow/.test(String(at.at(-1)));
  const paths = (written ?? []).flatMap((path, index) => {
    const resolved = resolveInTree(".", path);
    if (resolved.kind === "inside") return [resolved.fromRoot.replace(/(?<!\/)\/+$/, "") || "**"];
    const isOutside = /^(?:~|[/\\]|[A-Za-z]:[/\\])|(?:^|[/\\])\.\.(?:$|[/\\])/.test(path);
    if (!isOutside) {
      reporter.error(
        [...at, index],
        `${quote(path)} ${resolved.reason}.`,
        "Write a path or a glob inside the work tree, such as `src/generated/**`.",
      );
    } else if (allows) {
      reporter.warning(
        [...at, index],
        `${quote(path)} is outside of the work tree, where agents write to their home and temporary folder only.`,
        "Remove it; until then it is passed over.",
      );
    }
    return [];
  });
  return [...new Set(paths)];
}

/** What is private is passed over, not refused: the plans of runs under way may name it. */
function readHosts(written: Written, list: HostList, at: Path, reporter: Reporter): string[] {
  const hosts = (written ?? []).flatMap((one, index) => {
    const host = one.trim().toLowerCase();
    const wrong = namedHostProblem(host);
    const closed = wrong === null ? privateHostProblem(host, list) : null;
    if (wrong !== null) {
      reporter.error(
        [...at, index],
        wrong,
        "Write `packages.example.com`, `*.example.com` or `example.com:8443`.",
        ...(opensAll(host) ? (["whole-network"] as const) : []),
      );
    } else if (closed !== null) {
      reporter.warning([...at, index], `${closed.message} It stays closed.`, closed.fix, "private-host");
    }
    return wrong === null && closed === null ? [readPlainHost(host, [...at, index], reporter)] : [];
  });
  return [...new Set(hosts)];
}

/** People approve what they see. */
function readPlainHost(host: string, at: Path, reporter: Reporter): string {
  const { text, isDisguised } = plainHostRule(host);
  if (isDisguised) {
    reporter.warning(
      at,
      `${quote(host)} has letters that look like others; it is the host \`${text}\`.`,
      `Make sure that it is the one you mean, and write \`${text}\`.`,
    );
  }
  return text;
}

const MAX_COMMAND = 500;

function readCommands(written: Written, at: Path, reporter: Reporter): string[] {
  const commands = (written ?? []).flatMap((one, index) => {
    const command = one.trim();
    if (!/[\r\n]/.test(command) && command.length <= MAX_COMMAND) return [command];
    reporter.error(
      [...at, index],
      `${quote(one)} is not one command.`,
      "Write how it begins, such as `npm publish`.",
    );
    return [];
  });
  return [...new Set(commands)];
}

const LIMIT_KEYS: Readonly<Record<keyof SandboxLimits, string>> = {
  processes: "processes",
  memoryMb: "memory_mb",
  fileMb: "file_mb",
  diskMb: "disk_mb",
};

/** A `sandbox:` block as it is written; the inverse of reading it. */
export function sandboxFields(rules: SandboxRules): Record<string, unknown> {
  const { filesystem, network, limits } = rules;
  const limited = Object.entries(LIMIT_KEYS).map(([field, key]) => [key, Reflect.get(limits, field)]);
  return {
    enabled: rules.enabled,
    filesystem: {
      deny_read: filesystem.denyRead,
      deny_write: filesystem.denyWrite,
      allow_write: filesystem.allowWrite,
    },
    network: { allowed_domains: network.allowedDomains, setup: network.setup, checks: network.checks },
    excluded_commands: rules.excludedCommands,
    limits: Object.fromEntries(limited),
  };
}

/** A stage can ask for less than its plan, not for more. */
export function checkStageLimits(
  stage: SandboxLimits,
  plan: SandboxLimits,
  at: Path,
  reporter: Reporter,
): void {
  for (const field of ["processes", "memoryMb", "fileMb", "diskMb"] as const) {
    const [own, most] = [stage[field], plan[field]];
    if (own === null || most === null || own <= most) continue;
    reporter.warning(
      [...at, "limits", LIMIT_KEYS[field]],
      `\`${LIMIT_KEYS[field]}\` of ${own} is taken as ${most}, the plan's own limit.`,
      `Write ${most} or less, or raise it in the plan.`,
    );
  }
}
