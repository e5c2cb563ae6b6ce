import { describe, expect, it } from "vitest";
import { watchOutput } from "../../src/engine/verify/check-output.ts";
import type { OutputChunk, ProcessSupervisor } from "../../src/ports/process-supervisor.ts";

const SPEC = { argv: ["x"], cwd: "/", env: {}, stdin: "", marker: "m" } as const;

/** A program that writes exactly these chunks. */
function writing(...chunks: (string | { stderr: string })[]): ProcessSupervisor {
  async function* output(): AsyncIterable<OutputChunk> {
    for (const chunk of chunks)
      yield typeof chunk === "string"
        ? { stream: "stdout", data: Buffer.from(chunk) }
        : { stream: "stderr", data: Buffer.from(chunk.stderr) };
  }
  return {
    spawn: () => ({
      pid: 1,
      output: output(),
      exit: Promise.resolve({ kind: "exited", code: 0 }),
      stop: async () => {},
    }),
    reap: async () => 0,
    close: async () => {},
  };
}

async function watch(supervisor: ProcessSupervisor, ...texts: string[]) {
  const watch = watchOutput(supervisor, texts);
  let passedOn = "";
  for await (const { data } of watch.sandbox.spawn(SPEC).output) passedOn += data.toString();
  return { printed: [...watch.printed].sort(), stderrBlank: watch.stderrBlank(), passedOn };
}

describe("watchOutput", () => {
  it("finds a text across any number of chunks and passes everything on", async () => {
    expect(await watch(writing("a re", "a", "d", "y b"), "ready", "never", "ready")).toEqual({
      printed: ["ready"],
      stderrBlank: true,
      passedOn: "a ready b",
    });
  });

  it("keeps the two streams apart", async () => {
    const seen = await watch(writing("rea", { stderr: "dy" }, "x", { stderr: " \n" }), "ready", "dy", "reax");
    expect(seen).toMatchObject({ printed: ["reax"], stderrBlank: false });
    expect(await watch(writing({ stderr: "\n \n" }))).toMatchObject({ stderrBlank: true });
  });

  it("takes the empty text for printed", async () => {
    expect((await watch(writing(), "")).printed).toEqual([""]);
  });
});
