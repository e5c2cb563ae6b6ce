import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { ToolAccess } from "../../../src/ports/harness.ts";
import { git } from "../../support/git-repo.ts";
import type { SeenRequest } from "../../support/model-server/seen-request.ts";
import type { Step, ToolCall } from "../../support/model-server/step.ts";
import { DRIVEN_CLIS, type DrivenCli } from "./driven-clis.ts";
import { createSessionBench, type SessionBench } from "./session-bench.ts";

/** Written so that the command itself does not hold what it prints. */
const RUN = "echo it-'ran'; touch touched.txt";
const SCRATCH = `echo own-'tmp' > "$TMPDIR/note" && cat "$TMPDIR/note" && echo own-'home' > "$HOME/note" && cat "$HOME/note"`;

type Told = {
  readonly asked: SeenRequest | undefined;
  /** What each tool gave: read, write, run, use of the room's own folders. */
  readonly results: readonly string[];
};

/**
 * The model asks for everything by the tools' own names, also where they are not offered: what keeps it from using them
 * has to be the CLI or the room.
 */
describe.each(DRIVEN_CLIS)("what an agent of $id may use", (cli) => {
  let bench: SessionBench;
  beforeAll(async () => {
    bench = await createSessionBench(cli);
  });
  afterEach(() => git(bench.tree, "clean", "-qfdx"));
  afterAll(() => bench.dispose());

  const script: readonly Step[] = [
    { tools: [{ read: "README.md" }] },
    { tools: [cli.write("written.txt", "written")] },
    { tools: [cli.shell(RUN)] },
    { tools: [cli.shell(SCRATCH)] },
    { say: "I have tried it all." },
  ];

  const attempt = async (tools: ToolAccess, temperature: number | null): Promise<Told> => {
    const server = await bench.serve({ script });
    const harness = await bench.harnessFor(server.url);
    const { end } = await bench.start(harness, { home: bench.home(tools), tools, temperature }).heard;
    expect(end).toMatchObject({ failure: null, text: "I have tried it all." });
    const turns = server.requests().filter(({ purpose }) => purpose === "turn");
    const results = (turns.at(-1)?.toolResults ?? []).map(({ text }) => text);
    expect(results).toHaveLength(4);
    expect(results[0]).toContain("hello");
    return { asked: turns[0], results };
  };

  const changes = (): string => git(bench.tree, "status", "--porcelain", "--untracked-files=all");
  /** Codex always offers both: it reads through its shell, and its patch tool can't be taken away. */
  const offers = ({ asked }: Told, call: ToolCall): boolean | "always" => {
    const name = "raw" in call ? call.raw.name : "";
    const isOffered = asked?.tools.some((tool) => tool.name === name) ?? false;
    return cli.id === "codex" && isOffered ? "always" : isOffered;
  };
  const only = (offered: boolean): boolean | "always" => (cli.id === "codex" ? "always" : offered);

  it("reading alone: it writes nothing, in whatever way it tries", async () => {
    const told = await attempt("read", 0.3);
    expect(changes()).toBe("");
    expect(offers(told, cli.write("", ""))).toBe(only(false));
    expect(offers(told, cli.shell(""))).toBe(only(false));
    expect(told.results.join("\n")).not.toMatch(/it-ran|own-tmp/);
    expect(told.asked?.temperature).toBe(cli.takesTemperature ? 0.3 : null);
  });

  it("editing: it writes a file and runs no command", async () => {
    const told = await attempt("edit", 0);
    expect(changes()).toBe("?? written.txt");
    expect(readFileSync(join(bench.tree, "written.txt"), "utf8").trim()).toBe("written");
    expect(offers(told, cli.write("", ""))).toBe(only(true));
    expect(offers(told, cli.shell(""))).toBe(only(false));
    expect(told.results.join("\n")).not.toMatch(/it-ran|own-tmp/);
    expect(existsSync(join(bench.home("edit"), "note"))).toBe(false);
    expect(told.asked?.temperature).toBe(cli.takesTemperature ? 0 : null);
  });

  it("a shell: it runs commands, and only its own folders can be written", async () => {
    const told = await attempt("shell", null);
    expect(changes()).toBe("");
    expect(offers(told, cli.write("", ""))).toBe(only(false));
    expect(offers(told, cli.shell(""))).toBe(only(true));
    expect(told.results[2]).toContain("it-ran");
    expect(told.results[2]).toContain("Read-only file system");
    expect(told.results[3]).toMatch(/own-tmp\s+own-home/);
    // Without a wish gemini sends a temperature of its own.
    expect(told.asked?.temperature).toBe(cli.id === "gemini" ? 1 : null);
  });
});

/** Long, as a diff may be. */
const LINES = Array.from({ length: 9_000 }, (_, n) => `+line ${n} of what is shown`);

describe.each(DRIVEN_CLIS)("what an agent of $id is shown beside the tree", (cli) => {
  let bench: SessionBench;
  beforeAll(async () => {
    bench = await createSessionBench(cli);
  });
  afterAll(() => bench.dispose());

  it("can be read to its end and not written, and nothing around it can be read", async () => {
    const shown = join(bench.root, ".cache", "shown, and more");
    const file = join(shown, "change.diff");
    mkdirSync(shown, { recursive: true });
    writeFileSync(file, `${LINES.join("\n")}\n`);
    writeFileSync(join(bench.root, ".cache", "secret.txt"), "not-for-agents\n");
    const script: readonly Step[] = [
      { tools: [cli.readLines(file, 8_990, 5)] },
      { tools: [{ read: join(bench.root, ".cache", "secret.txt") }] },
      { tools: [cli.write(join(shown, "written.txt"), "written")] },
      { say: "I have read it." },
    ];
    const server = await bench.serve({ script });
    const harness = await bench.harnessFor(server.url);
    const parts = { home: bench.home("shown"), tools: "read", shows: [shown] } as const;
    expect((await bench.start(harness, parts).heard).end).toMatchObject({
      failure: null,
      text: "I have read it.",
    });
    const turns = server.requests().filter(({ purpose }) => purpose === "turn");
    const results = (turns.at(-1)?.toolResults ?? []).map(({ text }) => text);
    expect(results).toHaveLength(3);
    expect(results[0]).toContain("line 8990 of what is shown");
    expect(results[0]).not.toContain("line 9 of");
    expect(results.join("\n")).not.toContain("not-for-agents");
    expect(readdirSync(shown)).toEqual(["change.diff"]);
  });
});

const HOOKED = ["claude", "codex"];

/** The other two get a new folder for each session, whose name no agent knows beforehand. */
describe.each(DRIVEN_CLIS.filter(({ id }) => HOOKED.includes(id)))(
  "what an editing agent of $id leaves in its home",
  (cli) => {
    let bench: SessionBench;
    beforeAll(async () => {
      bench = await createSessionBench(cli);
    });
    afterAll(() => bench.dispose());

    it("runs neither in this session nor in the next", async () => {
      const home = bench.home("one");
      const { file, traps } = trapsOf(cli, bench.tree);
      const look: Step = { tools: [{ read: "README.md" }] };
      const write = traps.map(([name, text]) => cli.write(join(home, name), text));
      const script: readonly Step[] = [{ tools: [{ read: join(home, file) }] }, { tools: write }, look];
      const server = await bench.serve({ script: [...script, { say: "One." }, look, { say: "Two." }] });
      const harness = await bench.harnessFor(server.url);
      const parts = { home, tools: "edit" } as const;
      const first = await bench.start(harness, parts).heard;
      expect(readFileSync(join(home, file), "utf8")).toContain("sprung-");
      const second = await bench.start(harness, { ...parts, resume: first.end.resume }).heard;
      expect([first.end.text, second.end.text]).toEqual(["One.", "Two."]);
      expect(readdirSync(bench.tree).filter((name) => name.startsWith("sprung-"))).toEqual([]);
    });
  },
);

type Traps = {
  /** Is there from the beginning. */
  readonly file: string;
  readonly traps: readonly (readonly [file: string, text: string])[];
};

function trapsOf({ id }: DrivenCli, tree: string): Traps {
  const spring = (name: string): string => `touch ${join(tree, `sprung-${name}`)}`;
  const hook = (name: string) => [{ matcher: "", hooks: [{ type: "command", command: spring(name) }] }];
  const hooks = JSON.stringify({ hooks: { SessionStart: hook("start"), PreToolUse: hook("tool") } });
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
