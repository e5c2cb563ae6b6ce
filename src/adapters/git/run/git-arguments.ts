import { InternalError } from "../../../core/errors.ts";
import type { GitCall } from "../../../ports/git.ts";

/** What Loom asks of git, and nothing else. None of these talks to the network by itself. */
const COMMANDS = new Set([
  "cat-file",
  "check-attr",
  "check-ref-format",
  "checkout-index",
  "commit-tree",
  "config",
  "diff-files",
  "diff-index",
  "diff-tree",
  "for-each-ref",
  "hash-object",
  "log",
  "ls-files",
  "ls-tree",
  "merge-base",
  "merge-tree",
  "mktree",
  "read-tree",
  "repack",
  "rev-list",
  "rev-parse",
  "status",
  "symbolic-ref",
  "update-index",
  "update-ref",
  "version",
  "worktree add",
  "worktree list",
  "worktree remove",
  "write-tree",
]);

const NETWORK_COMMANDS = new Set(["fetch", "ls-remote", "push"]);

// Options by which a caller could name a program, another repository or a setting. Compared in lower case: setting
// names are case-insensitive to git, so a check of their exact spelling would miss `-c Protocol.Ext.Allow=always`.
const FORBIDDEN_OPTIONS = new Set([
  "-c",
  "--config",
  "--config-env",
  "--exec",
  "--exec-path",
  "--ext-diff",
  "--git-dir",
  "--namespace",
  "--open-files-in-pager",
  "--receive-pack",
  "--super-prefix",
  "--template",
  "--textconv",
  "--upload-pack",
  "--work-tree",
]);

/** The arguments of one call, in an order in which no value can become an option; throws on everything else (T12, T14). */
export function gitArguments(call: GitCall, url?: string): string[] {
  const commands = url === undefined ? COMMANDS : NETWORK_COMMANDS;
  if (!commands.has(call.command))
    throw new InternalError(`git ${call.command} is not a call that Loom makes`);
  const args = call.command.split(" ");
  for (const option of call.options ?? []) {
    if (typeof option === "string") {
      args.push(checkedOption(call, option));
    } else {
      args.push(checkedOption(call, option[0]), checkedValue(call, option[1]));
    }
  }
  // The address is the one that the token is for; no caller can name another.
  if (url !== undefined) args.push(url);
  for (const value of call.values ?? []) args.push(checkedValue(call, value));
  if (call.paths !== undefined) {
    args.push("--");
    for (const path of call.paths) args.push(checkedPath(call, path));
  }
  return args;
}

function checkedOption(call: GitCall, option: string): string {
  const name = option.split("=", 1)[0]?.toLowerCase() ?? "";
  if (!option.startsWith("-") || FORBIDDEN_OPTIONS.has(name) || isTransport(option) || hasNul(option)) {
    throw refusal(call, option);
  }
  return option;
}

function checkedValue(call: GitCall, value: string): string {
  if (value === "" || value.startsWith("-") || isTransport(value) || hasNul(value))
    throw refusal(call, value);
  return value;
}

function checkedPath(call: GitCall, path: string): string {
  if (path === "" || hasNul(path)) throw refusal(call, path);
  return path;
}

/** `ext::<command>` as an address makes git run the command. */
function isTransport(text: string): boolean {
  return /(?:^|=)\s*[a-z0-9]+::/i.test(text);
}

function hasNul(text: string): boolean {
  return text.includes("\0");
}

function refusal(call: GitCall, argument: string): InternalError {
  return new InternalError(
    `refused to hand ${JSON.stringify(argument.slice(0, 80))} to git ${call.command} as an argument`,
  );
}
