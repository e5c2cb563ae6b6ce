import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bareSandboxSpec } from "../../src/adapters/harness/bare-sandbox-spec.ts";
import { questionIn } from "../../src/adapters/harness/cli/question.ts";
import { startInSandbox } from "../../src/adapters/harness/start-in-sandbox.ts";
import { createSupervisor } from "../../src/adapters/sandbox/processes/process-supervisor.ts";
import type { HarnessEvent, SessionEnd } from "../../src/ports/harness.ts";
import type { SandboxProvider } from "../../src/ports/sandbox.ts";
import { openSandboxes } from "../support/open-sandboxes.ts";
import { aSessionSpec } from "../support/session-spec.ts";
import { DRIVEN_CLIS, type DrivenCli } from "./sessions/driven-clis.ts";

type Heard = { readonly events: readonly HarnessEvent[]; readonly end: SessionEnd };

const STREAMS = join(import.meta.dirname, "../fixtures/streams");
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** What each of the CLIs really printed, said once more by a program that is none of them, whole and in all kinds of pieces. */
describe("the stream of an agent CLI", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "loom-streams-")));
  const supervisor = createSupervisor();
  let sandboxes: SandboxProvider;
  let count = 0;
  beforeAll(async () => {
    sandboxes = await openSandboxes(supervisor, join(root, "sandboxes"), { PATH: process.env.PATH });
  });
  afterAll(async () => {
    await sandboxes.close();
    await supervisor.close();
    rmSync(root, { recursive: true, force: true });
  });

  const play = async (cli: DrivenCli, bytes: Buffer, code: number): Promise<Heard> => {
    const place = join(root, String(++count));
    const home = join(place, "home");
    mkdirSync(home, { recursive: true });
    const file = join(place, "stream");
    writeFileSync(file, bytes);
    const marker = `stream-${process.pid}-${count}`;
    const spec = aSessionSpec({ tree: place, home, marker });
    const session = startInSandbox(sandboxes, {
      tree: place,
      prepare: () => ({
        sandboxSpec: bareSandboxSpec(marker, place),
        launch: () => ({
          argv: ["/bin/sh", "-c", 'cat "$1"; exit "$2"', "sh", file, String(code)],
          env: {},
          stdin: "",
        }),
      }),
      reader: cli.create().createReader({ spec, model: cli.model.asked, env: {}, home }),
      maxLineBytes: MAX_LINE_BYTES,
      questionIn,
    });
    const events: HarnessEvent[] = [];
    for await (const event of session.events) events.push(event);
    return { events, end: await session.end };
  };

  it.each(DRIVEN_CLIS)("is read through noise as if there was none: $id", async (cli) => {
    for (const { name, bytes, code } of streamsOf(cli)) {
      const [clean, noisy] = await Promise.all([play(cli, bytes, code), play(cli, withNoise(bytes), code)]);
      expect(withoutTimes(noisy.end), name).toEqual(withoutTimes(clean.end));
      expect(withoutOutput(noisy.events), name).toEqual(withoutOutput(clean.events));
      expect(noisy.events.length, name).toBeGreaterThan(clean.events.length);
    }
  });

  it.each(DRIVEN_CLIS)("may hold a line of ten megabytes: $id", async (cli) => {
    const { bytes } = streamsOf(cli).find(({ name }) => name === `${cli.id}.ok`) ?? expect.unreachable();
    const long = `{"type":"unheard-of","data":"${"x".repeat(10 * 1024 * 1024)}"}\n`;
    const clean = await play(cli, bytes, 0);
    const heard = await play(cli, Buffer.concat([Buffer.from(long), bytes]), 0);
    expect(heard.end).toEqual(clean.end);
    const longest = Math.max(...heard.events.map((event) => JSON.stringify(event).length));
    expect(longest).toBeLessThan(100_000);
  });

  it("has a diagnosis wherever it breaks off", async () => {
    const told = new Map<string, Set<string>>();
    const ends = DRIVEN_CLIS.flatMap((cli) =>
      streamsOf(cli).flatMap(({ name, bytes, code }) =>
        [0.3, 0.6, 1 - 10 / bytes.length].map((part) => ({
          cli,
          name,
          code,
          cut: bytes.length * part,
          bytes,
        })),
      ),
    );
    for (const { cli, name, code, cut, bytes } of ends) {
      const words = tell((await play(cli, bytes.subarray(0, Math.floor(cut)), code)).end);
      told.set(words, (told.get(words) ?? new Set()).add(name));
    }
    expect(told).toMatchInlineSnapshot(`
      Map {
        "cut-off. The agent ended without saying how it went (exit code 1)." => Set {
          "claude.401",
          "claude.429-long",
          "claude.429",
          "claude.500",
          "claude.context-stream",
          "claude.context",
          "claude.no-model",
          "claude.overloaded-stream",
          "claude.overloaded",
          "claude.quota",
          "codex.401",
          "codex.429",
          "codex.500",
          "codex.context-stream",
          "codex.context",
          "codex.no-model",
          "codex.overloaded-stream",
          "codex.overloaded",
          "codex.quota",
          "codex.usage-limit",
          "gemini.401",
          "gemini.429-long",
          "gemini.429",
          "gemini.500",
          "gemini.context-stream",
          "gemini.context",
          "gemini.no-model",
          "gemini.overloaded-stream",
          "gemini.overloaded",
          "gemini.quota",
          "opencode.401",
          "opencode.429",
          "opencode.500",
          "opencode.context-stream",
          "opencode.context",
          "opencode.no-model",
          "opencode.overloaded-stream",
          "opencode.overloaded",
        },
        "auth. The provider refused the key: Invalid API key · Fix external API key." => Set {
          "claude.401",
        },
        "quota. The provider's limit is reached: Request rejected (429) · This request would exceed your organization's rate limit of 50 requests per minute." => Set {
          "claude.429-long",
          "claude.429",
        },
        "overloaded. The provider has a fault (500): Internal server error." => Set {
          "claude.500",
        },
        "context. The conversation does not fit into the model's window any more: Prompt is too long." => Set {
          "claude.context-stream",
          "claude.context",
        },
        "cut-off. The agent ended without saying how it went." => Set {
          "claude.cut",
          "claude.ok",
          "codex.cut",
          "codex.ok",
          "gemini.cut",
          "gemini.ok",
          "opencode.cut",
          "opencode.ok",
        },
        "bad-request. The provider did not take the request: There's an issue with the selected model (claude-sonnet-4-5)." => Set {
          "claude.no-model",
        },
        "overloaded. The provider is overloaded (529): Overloaded. This is a server-side issue, usually temporary — try again in a moment." => Set {
          "claude.overloaded-stream",
          "claude.overloaded",
        },
        "quota. The provider's limit is reached: Credit balance is too low." => Set {
          "claude.quota",
        },
        "auth. The provider refused the key (401): unexpected status 401 Unauthorized: Incorrect API key provided." => Set {
          "codex.401",
        },
        "quota. The provider's limit is reached (429): exceeded retry limit, last status: 429 Too Many Requests." => Set {
          "codex.429",
        },
        "overloaded. The provider is overloaded: We’re currently experiencing high demand, which may cause temporary errors." => Set {
          "codex.500",
        },
        "context. The conversation does not fit into the model's window any more: Codex ran out of room in the model's context window." => Set {
          "codex.context-stream",
        },
        "context. The conversation does not fit into the model's window any more: Your input exceeds the context window of this model." => Set {
          "codex.context",
        },
        "bad-request. The provider did not take the request: The model does not exist or you do not have access to it." => Set {
          "codex.no-model",
        },
        "overloaded. The provider is overloaded: Selected model is at capacity." => Set {
          "codex.overloaded-stream",
          "codex.overloaded",
        },
        "quota. The provider's limit is reached: Quota exceeded." => Set {
          "codex.quota",
        },
        "quota. The provider's limit is reached: You’ve hit your usage limit." => Set {
          "codex.usage-limit",
        },
        "network. The provider can't be reached: Model stream ended without a finish reason." => Set {
          "gemini.context-stream",
          "gemini.overloaded-stream",
        },
      }
    `);
  });

  it("has a diagnosis when there is nothing to be understood", async () => {
    const noise = Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7919) % 256));
    const strange = Buffer.from('[]\n[{"type":"result"}]\n7\nnull\n{}\n');
    for (const cli of DRIVEN_CLIS) {
      for (const bytes of [Buffer.alloc(0), noise, strange]) {
        const ends = await Promise.all([0, 3].map((code) => play(cli, bytes, code)));
        expect(ends.map(({ end }) => tell(end))).toMatchInlineSnapshot(`
          [
            "cut-off. The agent ended without saying how it went.",
            "cut-off. The agent ended without saying how it went (exit code 3).",
          ]
        `);
      }
    }
  });
});

type Stream = { readonly name: string; readonly bytes: Buffer; readonly code: number };

/** Those that ended well, or were cut and then went on, ended with 0. */
function streamsOf(cli: DrivenCli): Stream[] {
  const names = readdirSync(STREAMS).filter((file) => file.startsWith(`${cli.id}.`));
  expect(names.length).toBeGreaterThan(5);
  return names.map((file) => {
    const name = basename(file, ".jsonl");
    return { name, bytes: readFileSync(join(STREAMS, file)), code: /\.(?:ok|cut)$/.test(name) ? 0 : 1 };
  });
}

/** Between all lines, whose ends become those of another system. */
function withNoise(bytes: Buffer): Buffer {
  const lines = bytes
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
  const noisy = lines.flatMap((line, at) => [
    NOISE[at % NOISE.length] ?? "",
    line,
    line.slice(0, Math.floor(line.length / 2)),
  ]);
  return Buffer.from(`${[...noisy, ...NOISE].join("\r\n")}\r\n`);
}

const NOISE = [
  '{"type":"unheard-of","part":{"type":"unheard-of"},"message":{"content":7}}',
  '{"type":["assistant"],"item":null,"usage":"many"}',
  "Debugger attached.",
  "\u001b[31mwarning:\u001b[0m something is \ufffd\u0000 odd",
  '{"type":"assistant","message":',
  "}{",
  "[1,2,3]",
  "\ufeff",
];

function withoutOutput(events: readonly HarnessEvent[]): HarnessEvent[] {
  return events.filter(({ kind }) => kind !== "output");
}

/** Some are given as a span, and begin when they are read. */
function withoutTimes({ failure, ...end }: SessionEnd) {
  if (failure === null) return { ...end, failure };
  return { ...end, failure: { ...failure, resetsAt: typeof failure.resetsAt } };
}

function tell({ failure }: SessionEnd): string {
  return failure === null ? "it went well" : `${failure.kind}. ${failure.message}`;
}
