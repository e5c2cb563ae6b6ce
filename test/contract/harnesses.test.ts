import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { createCommandHarness } from "../../src/adapters/harness/command.ts";
import { createScriptedHarness } from "../../src/adapters/harness/scripted.ts";
import { compileSources } from "../support/compile-sources.ts";
import { openSandboxes } from "../support/open-sandboxes.ts";
import { type Deed, describeHarness } from "./harness.contract.ts";

let compiled: Awaited<ReturnType<typeof compileSources>>;
beforeAll(async () => {
  compiled = await compileSources(["src/adapters/harness/scripted-agent.ts"]);
});
afterAll(() => compiled.dispose());

const USER = { ...process.env, GIT_DIR: "/nowhere", LOOM_SECRET: "x" };

describeHarness("command", async ({ supervisor, folder }, deeds) => {
  const program = join(folder, "agent.sh");
  await writeFile(program, ["#!/bin/sh", ...deeds.map(toShell), ""].join("\n"), { mode: 0o755 });
  const env = { ...USER, LOOM_COMMAND_BIN: "./agent.sh" };
  return createCommandHarness({
    sandboxes: await openSandboxes(supervisor, join(folder, "sandboxes"), env),
    env,
    cwd: folder,
  });
});

describeHarness("scripted", async ({ supervisor, folder }, deeds) => {
  await writeFile(join(folder, "script.json"), JSON.stringify({ stages: { build: deeds.map(toStep) } }));
  const env = { ...USER, LOOM_SCRIPT: "script.json" };
  return createScriptedHarness({
    sandboxes: await openSandboxes(supervisor, join(folder, "sandboxes"), env),
    env,
    cwd: folder,
    agentFile: join(compiled.root, "src/adapters/harness/scripted-agent.js"),
  });
});

function toShell(deed: Deed): string {
  const print = (text: string): string => `printf '%s\\n' '${text}'`;
  if ("print" in deed) return print(deed.print);
  if ("say" in deed) return print(JSON.stringify({ type: "activity", text: deed.say }));
  if ("ask" in deed) return print(JSON.stringify({ type: "ask", question: deed.ask }));
  if ("usage" in deed) {
    const { input, output, costUsd } = deed.usage;
    return print(
      JSON.stringify({ type: "usage", input_tokens: input, output_tokens: output, cost_usd: costUsd }),
    );
  }
  if ("write" in deed) {
    return `mkdir -p "$(dirname ${deed.write.path})" && printf %s '${deed.write.text}' > ${deed.write.path}`;
  }
  if ("shell" in deed) return deed.shell;
  if ("exit" in deed) return `exit ${deed.exit}`;
  return "exec sleep 1000";
}

function toStep(deed: Deed): object {
  if ("print" in deed) return { run: `printf '%s\\n' '${deed.print}'` };
  if ("shell" in deed) return { run: deed.shell };
  if ("exit" in deed) return { fail: deed.exit };
  if ("usage" in deed) {
    const { input, output, costUsd } = deed.usage;
    return { usage: { input_tokens: input, output_tokens: output, cost_usd: costUsd } };
  }
  return deed;
}
