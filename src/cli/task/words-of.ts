import { UserError } from "../../core/errors.ts";
import { decodeText } from "../../core/plan/read/decode-text.ts";
import { localTaskTexts } from "../../core/report/commands/local-task-texts.ts";
import { wordsIn } from "../../core/text/words-in.ts";
import type { Io } from "../io.ts";

/** More than any agent takes in; a prompt cuts what is left to its budget. */
const MAX_BYTES = 512 * 1024;

/** What a person wants, from the command line, and empty where nobody could see a word; `-` alone means that it stands in standard input. */
export async function wordsOf(io: Io, words: readonly string[]): Promise<string> {
  const text = words.join(" ");
  const bytes = text === "-" ? await inputOf(io) : new TextEncoder().encode(text);
  if (bytes.length > MAX_BYTES)
    throw new UserError(localTaskTexts.tooLong(MAX_BYTES), {
      next: localTaskTexts.tooLongNext(),
      exitCode: 2,
    });
  const decoded = decodeText(bytes);
  if (decoded.kind === "unreadable")
    throw new UserError(localTaskTexts.notText(), { next: localTaskTexts.notTextNext(), exitCode: 2 });
  return wordsIn(decoded.text);
}

async function inputOf(io: Io): Promise<Uint8Array> {
  if (!io.readInput) throw new UserError(localTaskTexts.noInput(), { exitCode: 2 });
  return io.readInput(MAX_BYTES + 1);
}
