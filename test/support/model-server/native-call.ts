import type { Json } from "./json.ts";
import type { NativeCall } from "./protocol.ts";
import type { OfferedTool } from "./seen-request.ts";
import type { ToolCall } from "./step.ts";

/** A tool of some CLI, and how it wants to be called. */
type Way<Wish> = { readonly name: string; input(wish: Wish, tool: OfferedTool): string | Json };

type WriteWish = { readonly path: string; readonly text: string };

/** The first that is offered is taken. A new harness adds its tools here, if it has any names that are not known yet. */
const SHELLS: readonly Way<string>[] = [
  { name: "Bash", input: (command) => ({ command, description: "Run a command" }) },
  { name: "exec_command", input: (cmd) => ({ cmd }) },
  { name: "run_shell_command", input: (command) => ({ command, description: "Run a command" }) },
  { name: "bash", input: (command) => ({ command, description: "Run a command" }) },
];

const WRITERS: readonly Way<WriteWish>[] = [
  { name: "Write", input: ({ path, text }) => ({ file_path: path, content: text }) },
  { name: "write_file", input: ({ path, text }) => ({ file_path: path, content: text }) },
  { name: "write", input: ({ path, text }) => ({ filePath: path, content: text }) },
  {
    name: "apply_patch",
    input: (wish, tool) =>
      tool.kind === "freeform" ? patchOf(wish) : { [tool.parameters[0] ?? "input"]: patchOf(wish) },
  },
  // Some models are offered no tool for files at all.
  { name: "exec_command", input: ({ path, text }) => ({ cmd: writeCommand(path, text) }) },
];

const READERS: readonly Way<string>[] = [
  { name: "Read", input: (path) => ({ file_path: path }) },
  { name: "read_file", input: (path) => ({ file_path: path }) },
  { name: "read", input: (path) => ({ filePath: path }) },
  { name: "exec_command", input: (path) => ({ cmd: `cat -- ${quote(path)}` }) },
];

/** Throws when the CLI that asks offers no tool for it: then the script is wrong, or the CLI was started without tools. */
export function nativeCall(call: ToolCall, offered: readonly OfferedTool[]): NativeCall {
  if ("shell" in call) return take("run a command", SHELLS, call.shell, offered);
  if ("write" in call) return take("write a file", WRITERS, call.write, offered);
  if ("read" in call) return take("read a file", READERS, call.read, offered);
  const { name, input } = call.raw;
  return { name, input, namespace: offered.find((tool) => tool.name === name)?.namespace ?? null };
}

function take<Wish>(
  purpose: string,
  ways: readonly Way<Wish>[],
  wish: Wish,
  offered: readonly OfferedTool[],
): NativeCall {
  for (const way of ways) {
    const tool = offered.find(({ name }) => name === way.name);
    if (tool !== undefined)
      return { name: tool.name, namespace: tool.namespace, input: way.input(wish, tool) };
  }
  const names = offered.map(({ name }) => name).join(", ");
  throw new Error(
    `The script wants to ${purpose}, but of the tools offered none does that: ${names || "none"}`,
  );
}

function patchOf({ path, text }: WriteWish): string {
  const lines = text.replace(/\n$/, "").split("\n");
  return [
    "*** Begin Patch",
    `*** Add File: ${path}`,
    ...lines.map((line) => `+${line}`),
    "*** End Patch",
    "",
  ].join("\n");
}

function writeCommand(path: string, text: string): string {
  return `mkdir -p -- "$(dirname -- ${quote(path)})" && printf %s ${quote(text)} > ${quote(path)}`;
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
