import { constants } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { amountAt, type JsonObject, jsonLine, objectAt, textAt } from "../cli/json-line.ts";

/** Where the CLI keeps what was said, for as long as the sandbox's home is kept. */
export function conversationsIn(home: string): string {
  return join(home, "gemini-conversations");
}

/** What one request took, by the CLI's own numbers. */
export type Request = { readonly id: string; readonly input: number; readonly output: number };

/** So often the file is looked for; it is there before the first answer is. */
const MOST_SEARCHES = 50;
const MOST_FOLDERS = 20;
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Follows the file of one conversation: only there the CLI says what each request took. The agent can write there too, so
 * a link or a pipe in its place is not opened, and nothing but numbers is taken from it.
 */
export function createConversationFollower(home: string, conversation: string, since: string) {
  let searches = 0;
  let file: string | null = null;
  let offset = 0;
  let rest = "";

  const find = async (): Promise<string | null> => {
    searches += 1;
    const folders = await readdir(conversationsIn(home)).catch(() => []);
    for (const folder of folders.slice(0, MOST_FOLDERS)) {
      const chats = join(conversationsIn(home), folder, "chats");
      const names = await readdir(chats).catch(() => []);
      const name = names.find((known) => known.endsWith(`-${conversation.slice(0, 8)}.jsonl`));
      if (name !== undefined) return join(chats, name);
    }
    return null;
  };

  return {
    /** The requests of this session that were written since the last call. */
    async more(): Promise<readonly Request[]> {
      if (file === null && searches < MOST_SEARCHES) file = await find();
      if (file === null) return [];
      const text = await readFrom(file, offset);
      offset += text.length;
      const lines = (rest + text.toString("utf8")).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > MOST_BYTES) rest = "";
      return lines.flatMap((line) => requestIn(line, since));
    },
  };
}

async function readFrom(file: string, offset: number): Promise<Buffer> {
  let handle: FileHandle | null = null;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const info = await handle.stat();
    const length = info.isFile() ? Math.min(MOST_BYTES, Math.max(0, info.size - offset)) : 0;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  } catch {
    return Buffer.alloc(0);
  } finally {
    await handle?.close();
  }
}

/** A conversation that is gone on with begins with what earlier sessions have counted already. */
function requestIn(line: string, since: string): Request[] {
  // Tool results stand in the same file and can be long; they need not be parsed.
  const message = line.includes('"tokens"') ? jsonLine(line) : null;
  if (textAt(message, "type") !== "gemini" || (textAt(message, "timestamp") ?? "") < since) return [];
  const id = textAt(message, "id");
  const tokens = objectAt(message, "tokens");
  return id === null || tokens === null ? [] : [{ id, ...countTokens(tokens) }];
}

function countTokens(tokens: JsonObject): Omit<Request, "id"> {
  const input = amountAt(tokens, "input") ?? 0;
  const output = (amountAt(tokens, "output") ?? 0) + (amountAt(tokens, "thoughts") ?? 0);
  return { input, output };
}
