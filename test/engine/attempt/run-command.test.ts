import { tmpdir } from "node:os";
import { afterAll, describe, expect, it } from "vitest";
import { createSupervisor } from "../../../src/adapters/sandbox/processes/process-supervisor.ts";
import { type RunOptions, runToEnd } from "../../../src/engine/attempt/run-command.ts";
import type { OutputChunk, ProcessSupervisor } from "../../../src/ports/process-supervisor.ts";
import { livingWith } from "../../support/living-processes.ts";

const supervisor = createSupervisor();
afterAll(() => supervisor.close());
let count = 0;

function run(script: string, options: Partial<RunOptions> = {}, from: ProcessSupervisor = supervisor) {
  const spec = {
    argv: ["sh", "-c", script] as [string, ...string[]],
    cwd: tmpdir(),
    env: { PATH: process.env.PATH ?? "" },
    stdin: "",
    marker: `command-${process.pid}-${++count}`,
  };
  return runToEnd(from, spec, { timeoutMs: 20_000, tailBytes: 1000, graceMs: 100, ...options });
}

/** A sandbox whose only program prints these chunks. */
function printing(chunks: readonly (string | Buffer)[]): ProcessSupervisor {
  async function* output(): AsyncGenerator<OutputChunk> {
    for (const chunk of chunks) yield { stream: "stdout", data: Buffer.from(chunk) };
  }
  return {
    ...supervisor,
    spawn: () => ({
      pid: null,
      output: output(),
      exit: Promise.resolve({ kind: "exited", code: 0 }),
      stop: async () => {},
    }),
  };
}

describe("runToEnd", () => {
  it("tells how a command ended and what it printed, together and apart", async () => {
    const result = await run("echo out; echo err >&2; exit 3");
    expect(result).toMatchObject({
      exit: { kind: "exited", code: 3 },
      timedOut: false,
      cutBytes: 0,
      stdout: "out\n",
      stderr: "err\n",
    });
    expect(result.output.split("\n").sort()).toEqual(["", "err", "out"]);
    expect(result.durationMs).toBeGreaterThan(0);
  });

  it("keeps the end of a long output and counts what came before", async () => {
    const { output, stdout, cutBytes } = await run("seq 1 100000", { tailBytes: 20 });
    expect(output).toBe("\n99998\n99999\n100000\n");
    expect(stdout).toBe(output);
    expect(cutBytes).toBe(588_895 - 20);
  });

  it("keeps each stream's own end, however much the other prints", async () => {
    const { stderr } = await run("echo kept >&2; seq 1 1000", { tailBytes: 50 });
    expect(stderr).toBe("kept\n");
  });

  it("does not begin in the middle of a character", async () => {
    const { output, cutBytes } = await run("", { tailBytes: 6 }, printing(["aé🙂", "🙂"]));
    expect(output).toBe("🙂");
    expect(cutBytes).toBe(7);
  });

  it("puts chunks of any size together", async () => {
    const text = Array.from({ length: 500 }, (_, n) => `line ${n}\n`).join("");
    for (const size of [1, 7, 64, 100, 1000]) {
      const chunks = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
      const { output, cutBytes } = await run("", { tailBytes: 100 }, printing(chunks));
      expect(output).toBe(text.slice(-100));
      expect(cutBytes).toBe(text.length - 100);
    }
  });

  it("ends a command whose time is up, with all it started", async () => {
    const result = await run("echo begun; setsid sleep 1000 & sleep 1000", { timeoutMs: 1000 });
    expect(result).toMatchObject({ timedOut: true, output: "begun\n", exit: { kind: "signalled" } });
    expect(livingWith(`LOOM_MARKER=command-${process.pid}-${count}`)).toEqual([]);
  });

  it("ends a command that prints without end", async () => {
    const result = await run("yes", { timeoutMs: 200, tailBytes: 10 });
    expect(result).toMatchObject({ timedOut: true, output: "y\ny\ny\ny\ny\n" });
    expect(result.cutBytes).toBeGreaterThan(1_000_000);
  });

  it("ends a command that is not wanted any more, and does not call it out of time", async () => {
    const abort = new AbortController();
    const running = run("sleep 1000", { signal: abort.signal, timeoutMs: null });
    abort.abort();
    expect(await running).toMatchObject({ timedOut: false, exit: { kind: "signalled", signal: "SIGTERM" } });
    expect(await run("sleep 1000", { signal: abort.signal })).toMatchObject({ exit: { kind: "signalled" } });
  });

  it("says why a command could not be started", async () => {
    const spec = { argv: ["no-such-program"] as [string], cwd: tmpdir(), env: {}, stdin: "", marker: "none" };
    const result = await runToEnd(supervisor, spec, { timeoutMs: 1000, tailBytes: 100, graceMs: 0 });
    expect(result.exit).toEqual({ kind: "not-started", reason: "no-such-program was not found on PATH" });
  });

  it("is not silent about what could not be ended", async () => {
    const stubborn: ProcessSupervisor = {
      ...printing(["x"]),
      spawn: () => {
        let end = () => {};
        const ended = new Promise<void>((resolve) => {
          end = resolve;
        });
        async function* output(): AsyncGenerator<OutputChunk> {
          await ended;
          yield { stream: "stdout", data: Buffer.from("x") };
        }
        return {
          pid: 1,
          output: output(),
          exit: ended.then(() => ({ kind: "signalled", signal: "SIGKILL" }) as const),
          stop: async () => {
            end();
            throw new Error("failed to end process 7");
          },
        };
      },
    };
    await expect(run("", { timeoutMs: 10 }, stubborn)).rejects.toThrow("failed to end process 7");
  });
});
