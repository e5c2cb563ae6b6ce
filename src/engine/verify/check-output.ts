import type { ConfinedProcess, OutputChunk } from "../../ports/process-supervisor.ts";
import type { SandboxProcess } from "../../ports/sandbox.ts";

/** Whatever starts programs. */
export type Spawner = { spawn(spec: SandboxProcess): ConfinedProcess };

/** What a command's whole output held, however much of it is kept. */
export type OutputWatch = {
  readonly printed: ReadonlySet<string>;
  readonly stderrBlank: () => boolean;
  /** The same sandbox, but for the watch seeing what its programs write. */
  readonly sandbox: Spawner;
};

/** Looks for texts on standard output as it passes, across the borders of chunks. */
export function watchOutput(sandbox: Spawner, texts: readonly string[]): OutputWatch {
  const needles = [...new Set(texts)].map((text) => ({ text, bytes: Buffer.from(text) }));
  const overlap = Math.max(0, ...needles.map(({ bytes }) => bytes.length - 1));
  const printed = new Set<string>(texts.filter((text) => text === ""));
  let carried = Buffer.alloc(0);
  let blank = true;

  const see = ({ stream, data }: OutputChunk): void => {
    if (stream === "stderr") {
      blank &&= data.toString("latin1").trim() === "";
      return;
    }
    if (printed.size === needles.length) return;
    const window = Buffer.concat([carried, data]);
    for (const { text, bytes } of needles)
      if (!printed.has(text) && window.includes(bytes)) printed.add(text);
    carried = window.subarray(Math.max(0, window.length - overlap));
  };
  return {
    printed,
    stderrBlank: () => blank,
    sandbox: {
      spawn(spec) {
        const { pid, output, exit, stop } = sandbox.spawn(spec);
        return { pid, output: tapped(output, see), exit, stop };
      },
    },
  };
}

async function* tapped(
  output: AsyncIterable<OutputChunk>,
  see: (chunk: OutputChunk) => void,
): AsyncIterable<OutputChunk> {
  for await (const chunk of output) {
    see(chunk);
    yield chunk;
  }
}
