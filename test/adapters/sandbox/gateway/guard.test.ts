import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { ToolCall } from "../../../../src/core/policy/judgement.ts";
import { compilePrograms, type Ended, start } from "./compiled-programs.ts";
import { createWorlds } from "./gateway-world.ts";

const worlds = createWorlds();
let programs: Awaited<ReturnType<typeof compilePrograms>>;
beforeAll(async () => {
  programs = await compilePrograms();
});
afterEach(() => worlds.close());
afterAll(() => programs.dispose());

async function openJudge(): Promise<{ url: string; calls: ToolCall[] }> {
  const calls: ToolCall[] = [];
  const { gateway } = await worlds.open(
    {
      judge(call) {
        calls.push(call);
        if (call.command?.includes("rm -rf")) return { kind: "deny", reason: "Nothing is removed here." };
        if (call.command?.includes("deploy")) return { kind: "ask", question: "May it deploy?" };
        return { kind: "allow" };
      },
    },
    { listen: { kind: "loopback" } },
  );
  return { url: gateway.url ?? "", calls };
}

const guard = (url: string | null, stdin: string, ...args: string[]): Promise<Ended> =>
  start([process.execPath, programs.guard, ...args], {
    stdin,
    env: url === null ? {} : { LOOM_GATEWAY: url },
  }).ended;

describe("the guard", () => {
  it.each([
    ["the plain form", { tool: "shell", command: "ls -l" }, { tool: "shell", command: "ls -l" }],
    [
      "Claude's hook",
      {
        hook_event_name: "PreToolUse",
        tool_name: "Bash",
        tool_input: { command: "ls -l", description: "List" },
      },
      { tool: "Bash", command: "ls -l" },
    ],
    [
      "a tool that runs nothing",
      { tool_name: "Write", tool_input: { file_path: "a" } },
      { tool: "Write", command: null },
    ],
    [
      "Codex's `cmd`",
      { tool_name: "exec_command", tool_input: { cmd: "ls" } },
      { tool: "exec_command", command: "ls" },
    ],
    [
      "what Codex types into a shell that runs",
      { tool_name: "write_stdin", tool_input: { session_id: 1, chars: "ls\n" } },
      { tool: "write_stdin", command: "ls\n" },
    ],
    [
      "a shell and its script as a list",
      { tool_name: "shell", tool_input: { command: ["/bin/bash", "-lc", "ls 'a b'"] } },
      { tool: "shell", command: "ls 'a b'" },
    ],
    [
      "a program and its arguments as a list",
      { tool_name: "shell", tool_input: { command: ["echo", "it's", "a b"] } },
      { tool: "shell", command: "echo 'it'\\''s' 'a b'" },
    ],
    [
      "a patch, which runs nothing",
      { tool_name: "apply_patch", tool_input: { command: "*** Begin Patch\nrm -rf" } },
      { tool: "apply_patch", command: null },
    ],
    [
      "Gemini's hook",
      { hook_event_name: "BeforeTool", tool_name: "run_shell_command", tool_input: { command: "ls" } },
      { tool: "run_shell_command", command: "ls" },
    ],
  ])("understands %s", async (_what, given, call) => {
    const { url, calls } = await openJudge();
    expect(await guard(url, JSON.stringify(given))).toEqual({ code: 0, signal: null, out: "", err: "" });
    expect(calls).toEqual([call]);
  });

  it("tells the reason when something is denied", async () => {
    const { url } = await openJudge();
    expect(await guard(url, '{"tool":"Bash","command":"rm -rf /"}')).toMatchInlineSnapshot(`
      {
        "code": 2,
        "err": "Loom does not allow this: Nothing is removed here.
      ",
        "out": "",
        "signal": null,
      }
    `);
  });

  it("tells the agent to end its turn when a person has to decide", async () => {
    const { url } = await openJudge();
    expect(await guard(url, '{"tool":"Bash","command":"make deploy"}')).toMatchInlineSnapshot(`
      {
        "code": 2,
        "err": "A person has to decide this: May it deploy?
      Do not try it another way. End your turn now.
      ",
        "out": "",
        "signal": null,
      }
    `);
  });

  it("judges a command from its arguments without reading standard input", async () => {
    const { url, calls } = await openJudge();
    expect((await guard(url, "not json", "--command", "bash", "rm -rf /")).code).toBe(2);
    expect(calls).toEqual([{ tool: "bash", command: "rm -rf /" }]);
  });

  it("judges a long command by its whole text, and denies one that is too long", async () => {
    const { url } = await openJudge();
    const padded = (size: number): string =>
      JSON.stringify({ tool: "Bash", command: `${" ".repeat(size)}rm -rf /` });
    expect(await guard(url, padded(900_000))).toMatchObject({
      code: 2,
      err: expect.stringContaining("Nothing"),
    });
    expect(await guard(url, padded(5_000_000))).toMatchObject({
      code: 2,
      err: expect.stringContaining("1 MB"),
    });
  });

  it.each([
    "",
    "no json",
    "[]",
    "{}",
    '{"tool":""}',
    '{"tool":"Bash","command":{"a":1}}',
    '{"tool":"Bash","command":[1]}',
  ])("allows nothing when it is told %j", async (stdin) => {
    const { url, calls } = await openJudge();
    expect((await guard(url, stdin)).code).toBe(2);
    expect(calls).toEqual([]);
  });

  it("says what it could not read", async () => {
    const { url } = await openJudge();
    expect((await guard(url, "?")).err).toMatchInlineSnapshot(`
      "Loom's guard could not read this tool call, so it is not allowed.
      "
    `);
  });

  it("is closed when Loom can't be asked", async () => {
    const call = '{"tool":"Bash","command":"ls"}';
    expect(await guard("http://127.0.0.1:9/", call)).toMatchInlineSnapshot(`
      {
        "code": 2,
        "err": "Loom could not be asked about this tool call, so it is not allowed.
      ",
        "out": "",
        "signal": null,
      }
    `);
    expect((await guard(null, call)).code).toBe(2);
    expect((await guard("nonsense", call)).code).toBe(2);
  });

  it("is closed when something else answers", async () => {
    const other = await worlds.serve((_incoming, response) => response.end("hello"));
    expect((await guard(other.url, '{"tool":"Bash","command":"ls"}')).code).toBe(2);
    const broken = await worlds.serve((incoming) => void incoming.socket.destroy());
    expect((await guard(broken.url, '{"tool":"Bash","command":"ls"}')).code).toBe(2);
  });
});
