import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Harness, ToolAccess } from "../../../src/ports/harness.ts";
import { git } from "../../support/git-repo.ts";
import type { SeenRequest } from "../../support/model-server/seen-request.ts";
import type { Step } from "../../support/model-server/step.ts";
import { offered, offers, RUN, SCRATCH } from "./attempts.ts";
import { DRIVEN_CLIS, type DrivenCli } from "./driven-clis.ts";
import { createSessionBench, type Heard, type SessionBench } from "./session-bench.ts";

type Told = {
  readonly harness: Harness;
  readonly heard: Heard;
  readonly asked: SeenRequest | undefined;
  /** What each tool gave: read, write, run, use of the sandbox's own folders. */
  readonly results: readonly string[];
};

/**
 * Reading alone is shown in `work.test.ts`, on a session that goes on with another one; what lies beyond it is shown here.
 */
describe.each(DRIVEN_CLIS)("what an agent of $id may use", (cli) => {
  let bench: SessionBench;
  beforeAll(async () => {
    bench = await createSessionBench(cli);
  });
  afterAll(() => bench.dispose());

  const look: Step = { tools: [{ read: "README.md" }] };

  const attempt = async (
    tools: ToolAccess,
    temperature: number | null,
    more: readonly Step[] = [],
  ): Promise<Told> => {
    const script: readonly Step[] = [
      look,
      { tools: [cli.write("written.txt", "written")] },
      { tools: [cli.shell(RUN)] },
      { tools: [cli.shell(SCRATCH)] },
      ...more,
      { say: "I have tried it all." },
    ];
    const server = await bench.serve({ script: [...script, look, { say: "I have looked again." }] });
    const harness = await bench.harnessFor(server.url);
    const heard = await bench.start(harness, { home: bench.home(tools), tools, temperature }).heard;
    expect(heard.end).toMatchObject({ failure: null, text: "I have tried it all." });
    const turns = server.requests().filter(({ purpose }) => purpose === "turn");
    const results = (turns.at(-1)?.toolResults ?? []).map(({ text }) => text);
    expect(results.length).toBeGreaterThanOrEqual(script.length - 1);
    expect(results[0]).toContain("hello");
    return { harness, heard, asked: turns[0], results };
  };

  it("editing: it writes a file and runs no command", async () => {
    const home = bench.home("edit");
    const { file, traps } = trapsOf(cli, bench.tree);
    const write = traps.map(([name, text]) => cli.write(join(home, name), text));
    const lays = write.length === 0 ? [] : [{ tools: [{ read: join(home, file) }] }, { tools: write }, look];
    const told = await attempt("edit", 0, lays);
    expect(bench.changes()).toBe("?? written.txt");
    expect(readFileSync(join(bench.tree, "written.txt"), "utf8").trim()).toBe("written");
    expect(offers(told.asked, cli.write("", ""))).toBe(offered(cli, true));
    expect(offers(told.asked, cli.shell(""))).toBe(offered(cli, false));
    expect(told.results.join("\n")).not.toMatch(/it-ran|own-tmp/);
    expect(existsSync(join(home, "note"))).toBe(false);
    expect(told.asked?.temperature).toBe(cli.takesTemperature ? 0 : null);

    // What it laid out in its home runs neither in this session nor in the next.
    if (traps.length === 0) return;
    expect(readFileSync(join(home, file), "utf8")).toContain("sprung-");
    const parts = { home, tools: "edit", resume: told.heard.end.resume } as const;
    expect((await bench.start(told.harness, parts).heard).end.text).toBe("I have looked again.");
    expect(bench.changes()).toBe("?? written.txt");
  });

  it("a shell: it runs commands, and only its own folders can be written", async () => {
    git(bench.tree, "clean", "-qfdx");
    const told = await attempt("shell", null);
    expect(bench.changes()).toBe("");
    expect(offers(told.asked, cli.write("", ""))).toBe(offered(cli, false));
    expect(offers(told.asked, cli.shell(""))).toBe(offered(cli, true));
    expect(told.results[2]).toContain("it-ran");
    expect(told.results[2]).toContain("Read-only file system");
    expect(told.results[3]).toMatch(/own-tmp\s+own-home/);
    // Without a wish gemini sends a temperature of its own.
    expect(told.asked?.temperature).toBe(cli.id === "gemini" ? 1 : null);
  });
});

type Traps = {
  /** Is there from the beginning. */
  readonly file: string;
  readonly traps: readonly (readonly [file: string, text: string])[];
};

function trapsOf({ id }: DrivenCli, tree: string): Traps {
  const spring = (name: string): string => `touch ${join(tree, `sprung-${name}`)}`;
  const hook = (name: string) => [{ matcher: "", hooks: [{ type: "command", command: spring(name) }] }];
  const hooks = JSON.stringify({ hooks: { SessionStart: hook("start"), PreToolUse: hook("tool") } });
  // Gemini and opencode get a new folder for each session, whose name no agent knows beforehand.
  if (id === "gemini" || id === "opencode") return { file: "", traps: [] };
  if (id === "claude") {
    return {
      file: ".claude/settings.json",
      traps: [
        [".claude/settings.json", hooks],
        [".claude/settings.local.json", hooks],
      ],
    };
  }
  return {
    file: ".codex/hooks.json",
    traps: [
      [".codex/hooks.json", hooks],
      [".bash_profile", spring("profile")],
      [".bashrc", spring("bashrc")],
    ],
  };
}
