import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Judgement, ToolCall } from "../../../src/core/policy/judgement.ts";
import type { Harness, HarnessEvent } from "../../../src/ports/harness.ts";
import { object } from "../../support/model-server/json.ts";
import type { SeenRequest } from "../../support/model-server/seen-request.ts";
import type { ModelServer } from "../../support/model-server/start-model-server.ts";
import type { Step } from "../../support/model-server/step.ts";
import { offered, offers, RUN, SCRATCH } from "./attempts.ts";
import { DRIVEN_CLIS } from "./driven-clis.ts";
import { hostileFiles } from "./hostile-repository.ts";
import { createSessionBench, filesWith, type Heard, type SessionBench } from "./session-bench.ts";
import { type ShownChange, showChange } from "./shown-change.ts";

/** Tries to leave the sandbox: straight to the machine's loopback, and through the door to a host that nobody allowed. */
const PROBE = `
import { get } from "node:http";
import { connect } from "node:net";

const [, , port] = process.argv;
const straight = await new Promise((resolve) => {
  const socket = connect(Number(port), "127.0.0.1", () => resolve("open"));
  socket.on("error", ({ code }) => resolve(code));
});
const { port: proxy } = new URL(process.env.HTTP_PROXY);
const throughTheEndpoint = await new Promise((resolve, reject) => {
  const asked = { host: "127.0.0.1", port: proxy, path: "http://elsewhere.example/" };
  get(asked, (answer) => resolve(answer.statusCode)).on("error", reject);
});
console.log("straight:", straight, "door:", throughTheEndpoint);
process.exit();
`;

const RULES = "Rule of this house: be brief.\n";
const TASK = "Write hello.txt, as a user@example.com would.\n";

/**
 * Of one conversation with the CLI, in a repository that is set up against it: a session that works under a judge, then a
 * second one that goes on with it and may only read. A third, of its own, may only speak.
 */
describe.each(DRIVEN_CLIS)("a session of $id", (cli) => {
  let bench: SessionBench;
  let shown: ShownChange;
  let server: ModelServer;
  let harness: Harness;
  let work: Heard;
  const judged: ToolCall[] = [];

  const judge = (call: ToolCall): Judgement => {
    judged.push(call);
    if (call.command?.includes("rm -rf")) return { kind: "deny", reason: "folders stay where they are." };
    return call.command?.includes(" > ")
      ? { kind: "ask", question: "May it write asked.txt?" }
      : { kind: "allow" };
  };

  const probe = (): string => `node probe.mjs ${server.port}`;
  const first: readonly Step[] = [
    { say: "I write the file.", tools: [{ write: { path: "hello.txt", text: "hello\n" } }] },
    { tools: [{ shell: "tr a-z A-Z <hello.txt | tee loud.txt" }] },
    { tools: [{ shell: "rm -rf precious" }] },
    { tools: [{ shell: "date > asked.txt" }] },
    () => ({ tools: [{ shell: searchFor(bench) }] }),
    () => ({ tools: [{ shell: probe() }] }),
    { say: "All is done.", usage: { input: 4_321, output: 77, cached: 321 } },
  ];
  const second: readonly Step[] = [
    { tools: [{ read: "README.md" }, cli.shell(RUN), cli.write("written.txt", "no")] },
    { tools: [cli.shell(SCRATCH)] },
    () => ({ tools: [cli.readLines(shown.file, 8_990, 5)] }),
    () => ({ tools: [{ read: shown.secret }] }),
    () => ({ tools: [cli.write(join(shown.folder, "written.txt"), "no")] }),
    { say: "I have looked.\n\n## Question\n\nWhich colour?\n" },
  ];

  beforeAll(async () => {
    bench = await createSessionBench(cli, (tree) => ({ ...hostileFiles(tree), "probe.mjs": PROBE }));
    shown = showChange(bench);
    server = await bench.serve({ script: [...first, ...second] });
    harness = await bench.harnessFor(server.url);
    const texts = { prompt: RULES + TASK, rules: RULES, task: TASK };
    const running = bench.start(harness, { ...texts, home: bench.home("one"), effort: "high", judge });
    work = await running.heard;
    expect(running.living()).toEqual([]);
    expect(sprung()).toEqual([]);
  });
  afterAll(() => bench.dispose());

  const turns = (): SeenRequest[] => server.requests().filter(({ purpose }) => purpose === "turn");
  const sprung = () => readdirSync(bench.tree).filter((name) => name.startsWith("sprung-"));
  const results = (): string[] => (turns()[first.length - 1]?.toolResults ?? []).map(({ text }) => text);
  /** Of the second session: its requests, and what each of its tools gave. */
  const again = (): SeenRequest[] => turns().slice(first.length);
  const news = (): string[] => (again().at(-1)?.toolResults ?? []).slice(-7).map(({ text }) => text);

  it("edits a file with its own tool and runs a command", () => {
    expect(work.end).toMatchObject({ failure: null, exit: { kind: "exited", code: 0 } });
    expect(readFileSync(join(bench.tree, "hello.txt"), "utf8")).toBe("hello\n");
    expect(readFileSync(join(bench.tree, "loud.txt"), "utf8")).toBe("HELLO\n");
    expect(of(work.events, "tool").slice(0, 2)).toEqual([
      { kind: "tool", name: cli.tools.write, detail: expect.stringContaining("hello.txt") },
      { kind: "tool", name: cli.tools.shell, detail: "tr a-z A-Z <hello.txt | tee loud.txt" },
    ]);
    expect(of(work.events, "tool-result").map(({ ok }) => ok)).toEqual([
      true,
      true,
      false,
      false,
      true,
      true,
    ]);
  });

  it("tells what it says, uses and keeps in mind", () => {
    expect(of(work.events, "started")).toEqual([
      { kind: "started", model: cli.model.asked, conversation: work.end.resume },
    ]);
    expect(of(work.events, "text").map(({ text }) => text)).toEqual(["I write the file.", "All is done."]);
    expect(work.end.text).toBe("All is done.");
    expect(work.end.resume).toMatch(/^[\w-]{8,}$/);
    expect(sumOfUsage(work.events)).toEqual({ inputTokens: 10_321, outputTokens: 377 });
    const { used, window } = of(work.events, "context").at(-1) ?? {};
    expect(used).toBeGreaterThanOrEqual(4_321);
    expect(window).toBeGreaterThan(100_000);
  });

  it("asks with the real key, which never enters the sandbox, nor does any other secret of the operator's", () => {
    expect(server.requests().map(({ key }) => key)).toEqual(server.requests().map(() => bench.key));
    expect(results()[4]).toMatch(/searched environments: [1-9]/);
    expect(results()[4]).not.toMatch(/found/);
    expect(filesWith(bench.root, bench.key)).toEqual([]);
    expect(JSON.stringify(work.events)).not.toContain(bench.key);
  });

  it("is told rules, task, model and effort", () => {
    const [asked] = turns();
    expect(asked?.system).toContain(RULES.trim());
    expect(asked?.lastUserText).toContain("Write hello.txt, as a user");
    expect(asked?.userTexts.join("\n")).not.toContain(RULES.trim());
    expect(asked?.model).toBe(cli.model.heard);
    const { path, heard } = cli.effort;
    expect(path.reduce<unknown>((body, key) => object(body)[key], asked?.body)).toEqual(heard);
  });

  it("does not run what the judge denies, and the model is told why", () => {
    expect(judged.map(({ command }) => command)).toEqual([
      "tr a-z A-Z <hello.txt | tee loud.txt",
      "rm -rf precious",
      "date > asked.txt",
      searchFor(bench),
      probe(),
    ]);
    expect(existsSync(join(bench.tree, "precious/thing.txt"))).toBe(true);
    expect(existsSync(join(bench.tree, "asked.txt"))).toBe(false);
    expect(results()[2]).toContain("Loom does not allow this: folders stay where they are.");
    expect(results()[3]).toContain("A person has to decide this: May it write asked.txt?");
  });

  it("reaches no host but the model, and each attempt is listed", () => {
    expect(results()[5]).toContain("straight: ECONNREFUSED door: 403");
    expect(work.end.deniedHosts).toEqual(["elsewhere.example"]);
  });

  it("goes on with the conversation, and asks a person", async () => {
    const spec = { home: bench.home("one"), resume: work.end.resume, temperature: 0.3 } as const;
    const reads = { tools: "read", shows: [shown.folder], task: "Look again.\n" } as const;
    const { end, events } = await bench.start(harness, { ...spec, ...reads }).heard;
    expect(end).toMatchObject({ failure: null, resume: work.end.resume });

    const [asked] = again();
    expect(asked?.turns).toBe(first.length);
    expect(asked?.userTexts.join("\n")).toContain("Write hello.txt, as a user");
    expect(asked?.lastUserText).toContain("Look again.");
    expect(asked?.temperature).toBe(cli.takesTemperature ? 0.3 : null);
    expect(sumOfUsage(events)).toEqual({ inputTokens: 6_000, outputTokens: 300 });
    expect(of(events, "ask")).toEqual([{ kind: "ask", question: "Which colour?" }]);
  });

  it("writes nothing when it may only read, in whatever way it tries", () => {
    expect(news()).toContainEqual(expect.stringContaining("hello"));
    expect(news().join("\n")).not.toMatch(/it-ran|own-tmp/);
    expect(bench.changes()).toBe("?? hello.txt\n?? loud.txt");
    for (const call of [cli.write("", ""), cli.shell("")])
      expect(offers(again()[0], call)).toBe(offered(cli, false));
  });

  it("reads what it is shown beside the tree to its end, writes nothing there, and reads nothing around it", () => {
    expect(news()[4]).toContain("line 8990 of what is shown");
    expect(news()[4]).not.toContain("line 9 of");
    expect(news().join("\n")).not.toContain("not-for-agents");
    expect(readdirSync(shown.folder)).toEqual(["change.diff"]);
  });

  it("can only speak when it has no tools", async () => {
    const script: readonly Step[] = [
      { tools: [cli.shell(RUN), cli.write("written.txt", "no")] },
      { say: "I can only speak." },
    ];
    const silent = await bench.serve({ script, rules: [{ of: "asides", when: () => true, script }] });
    const mute = await bench.harnessFor(silent.url);
    const { end } = await bench.start(mute, { home: bench.home("two"), tools: "none" }).heard;
    expect(end).toMatchObject({ failure: null, text: "I can only speak." });
    expect(JSON.stringify(silent.requests().at(-1)?.toolResults)).not.toContain("it-ran");
    expect(bench.changes()).toBe("?? hello.txt\n?? loud.txt");
  });

  it("starts nothing of what the repository has laid out for it", () => {
    expect(sprung()).toEqual([]);
  });
});

/** Written so that the command itself is not what it finds. */
function searchFor({ secret, userHome }: SessionBench): string {
  const pattern = secret.replace("sentinel", "[s]entinel");
  const places = `/proc/[0-9]*/environ /proc/[0-9]*/cmdline "$HOME" "$TMPDIR" /tmp . '${userHome}'`;
  return [
    `grep -rlas '${pattern}' ${places} | sed 's/^/found /'`,
    `env | grep '${pattern}' | sed 's/^/found /'`,
    "printf 'searched environments: '; grep -lsz '^HOME=' /proc/[0-9]*/environ | wc -l",
  ].join("; ");
}

function of<Kind extends HarnessEvent["kind"]>(
  events: readonly HarnessEvent[],
  kind: Kind,
): Extract<HarnessEvent, { kind: Kind }>[] {
  return events.filter((event): event is Extract<HarnessEvent, { kind: Kind }> => event.kind === kind);
}

function sumOfUsage(events: readonly HarnessEvent[]): { inputTokens: number; outputTokens: number } {
  return of(events, "usage").reduce(
    (sum, { usage }) => ({
      inputTokens: sum.inputTokens + usage.inputTokens,
      outputTokens: sum.outputTokens + usage.outputTokens,
    }),
    { inputTokens: 0, outputTokens: 0 },
  );
}
