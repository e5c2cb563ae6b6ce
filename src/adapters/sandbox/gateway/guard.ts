import { connect } from "node:net";

/**
 * `node guard.js`, the hook that agent CLIs run before they use a tool. It reads the call from standard input, in the words
 * of any of them, asks the gateway at LOOM_GATEWAY and exits 0, or 2 with the reason on standard error, which is how all
 * of them are told no. `node guard.js --command <tool> <command>` asks about a command without touching standard input.
 *
 * Closed when in doubt: what can't be read or asked is not allowed. It runs before each tool, so it imports little and
 * speaks the few words of HTTP that it needs by itself.
 */
type Call = { readonly tool: string; readonly command: string | null };

const PATIENCE_MS = 30_000;
/** They write files from what stands in `command`. */
const NO_SHELL = new Set(["apply_patch"]);

try {
  const call = await readCall();
  const refusal =
    call === null
      ? "Loom's guard could not read this tool call, so it is not allowed."
      : refusalIn(await ask(call));
  if (refusal !== null) refuse(refusal);
} catch {
  refuse("Loom could not be asked about this tool call, so it is not allowed.");
}

async function readCall(): Promise<Call | null> {
  const [mode, tool, command] = process.argv.slice(2);
  if (mode === "--command") return tool && command !== undefined ? { tool, command } : null;
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  const given = asRecord(parse(Buffer.concat(chunks).toString("utf8")));
  const name = given?.tool_name ?? given?.tool;
  if (given === null || typeof name !== "string" || name === "") return null;
  const input = asRecord(given.tool_input) ?? given;
  if (NO_SHELL.has(name)) return { tool: name, command: null };
  // `chars` is typed into a program that runs already, which may be a shell.
  const text = commandOf(input.command ?? input.cmd ?? input.chars);
  return text === undefined ? null : { tool: name, command: text };
}

/** undefined: there is a command, but not one that can be read. */
function commandOf(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return value;
  if (!Array.isArray(value) || !value.every((word) => typeof word === "string")) return undefined;
  const [shell = "", flag = "", script] = value;
  const isScript = value.length === 3 && /(?:^|\/)(?:ba|da|z|k)?sh$/.test(shell) && /^-[a-z]*c$/.test(flag);
  return isScript ? script : value.map(quote).join(" ");
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** What the agent is told; null: it may go on. */
function refusalIn(judgement: Record<string, unknown> | null): string | null {
  switch (judgement?.kind) {
    case "allow":
      return null;
    case "deny":
      return `Loom does not allow this: ${String(judgement.reason)}`;
    case "ask":
      return `A person has to decide this: ${String(judgement.question)}\nDo not try it another way. End your turn now.`;
    default:
      return "Loom could not judge this tool call, so it is not allowed.";
  }
}

function refuse(reason: string): void {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 2;
}

function ask(call: Call): Promise<Record<string, unknown> | null> {
  const address = new URL(process.env.LOOM_GATEWAY ?? "");
  const body = Buffer.from(JSON.stringify(call));
  const path = `${address.pathname.replace(/\/$/, "")}/.loom/judge`;
  // In the words of HTTP/1.0 the answer comes in one piece and ends with the connection.
  const head = `POST ${path} HTTP/1.0\r\nhost: ${address.host}\r\ncontent-length: ${body.length}\r\n\r\n`;
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address.hostname, port: Number(address.port || 80) });
    const chunks: Buffer[] = [];
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error("no answer in time")));
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(readAnswer(Buffer.concat(chunks).toString("utf8"))));
    socket.write(head);
    socket.write(body);
  });
}

function readAnswer(text: string): Record<string, unknown> | null {
  const split = text.indexOf("\r\n\r\n");
  if (split < 0 || !/^HTTP\/1\.[01] 200 /.test(text)) return null;
  return asRecord(parse(text.slice(split + 4)));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function asRecord(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
}
