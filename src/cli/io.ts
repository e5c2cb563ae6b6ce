import { plainLines } from "../core/text/escape-text.ts";
import type { Settled } from "../wiring/settings/settings-sources.ts";
import type { OutputStream } from "./output/run-output.ts";

/** What a command may touch of its process. */
export type Io = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: OutputStream;
  readonly stderr: Pick<OutputStream, "write"> & Partial<OutputStream>;
  /** Where a person sits at a terminal: asks them. null: they left without an answer. */
  readonly ask?: ((question: string) => Promise<string | null>) | null;
  /** The beginning of standard input, up to so many bytes; absent where there is none. */
  readonly readInput?: (maxBytes: number) => Promise<Uint8Array>;
  /** Called with the file that holds what a command is about to say, for the case that it can't be said. */
  readonly keptIn?: (file: string) => void;
  /** Where the settings in `env` come from, once the files were read. */
  readonly settled?: Settled;
};

export function say(io: Io, text: string): void {
  io.stdout.write(`${text}\n`);
}

/** What went wrong, and below it what to do next. File names and the words of others pass through here, so no escapes. */
export function explain(io: Io, message: string, next: string | null): void {
  const lines = [message.trimEnd(), ...(next ? [next] : [])].flatMap((text) => plainLines(text).split("\n"));
  warn(io, lines.map((line, index) => `${index === 0 ? "loom: " : "      "}${line}`).join("\n"));
}

export function warn(io: Io, text: string): void {
  io.stderr.write(`${text}\n`);
}
