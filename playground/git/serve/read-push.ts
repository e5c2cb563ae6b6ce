import { readPktLines } from "./pkt-line.ts";

export type RefCommand = {
  readonly ref: string;
  /** null: it is created. */
  readonly before: string | null;
  /** null: it is deleted. */
  readonly after: string | null;
};

export type PushRequest = {
  readonly commands: readonly RefCommand[];
  readonly capabilities: ReadonlySet<string>;
  readonly pack: Buffer;
};

const COMMAND = /^([0-9a-f]{40}) ([0-9a-f]{40}) ([^\0\n]+)\n?$/;
const NOTHING = "0".repeat(40);

/** What a client sends to `git-receive-pack`: commands, options of the push when agreed on, the pack. */
export function readPush(body: Buffer): PushRequest {
  const { lines, next } = readPktLines(body);
  const capabilities = new Set<string>();
  const commands: RefCommand[] = [];
  for (const line of lines) {
    const [text = "", offered = ""] = line.toString("utf8").split("\0");
    if (text.startsWith("shallow ")) continue;
    for (const word of offered.trim().split(" ")) if (word !== "") capabilities.add(word);
    const match = COMMAND.exec(text);
    if (!match) throw new Error(`failed to read the push: "${text}" is not a command`);
    const [, before = "", after = "", ref = ""] = match;
    commands.push({
      ref,
      before: before === NOTHING ? null : before,
      after: after === NOTHING ? null : after,
    });
  }
  const pack = capabilities.has("push-options") ? readPktLines(body, next).next : next;
  return { commands, capabilities, pack: body.subarray(pack) };
}
