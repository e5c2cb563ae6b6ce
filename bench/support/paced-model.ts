import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type PacedModel = { readonly url: string; close(): Promise<void> };

/**
 * A model on loopback that takes a fixed time for each turn: `turns` times it wants a file written, then it is done. Both
 * sides of a comparison meet the very same waiting, so what differs is Loom's. `null` as pace: it never answers.
 */
export async function startPacedModel(turns: number, paceMs: number | null): Promise<PacedModel> {
  const server = createServer((request, response) => {
    void read(request).then((body) => answer(body, response, turns, paceMs));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function read(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

type Body = { readonly model?: string; readonly messages?: readonly { readonly role: string }[] };

function answer(text: string, response: ServerResponse, turns: number, paceMs: number | null): void {
  if (paceMs === null) return;
  const body: Body = text === "" ? {} : JSON.parse(text);
  const turn = (body.messages ?? []).filter(({ role }) => role === "assistant").length;
  const block: Block =
    turn < turns
      ? {
          type: "tool_use",
          id: `toolu_${turn}`,
          name: "Write",
          input: { file_path: `file-${turn}.txt`, content: `turn ${turn}\n` },
        }
      : { type: "text", text: "Done." };
  setTimeout(() => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const [type, data] of frames(body.model ?? "model", `msg_${turn}`, block))
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    response.end();
  }, paceMs);
}

type Block =
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: object }
  | { readonly type: "text"; readonly text: string };

/** Answers of the same name would be taken for parts of one. */
function frames(model: string, id: string, block: Block): (readonly [string, object])[] {
  const usage = { input_tokens: 100, output_tokens: 10 };
  const ends = { stop_reason: null, stop_sequence: null };
  const message = { id, type: "message", role: "assistant", model, content: [], ...ends, usage };
  const isTool = block.type === "tool_use";
  const start = isTool ? { ...block, input: {} } : { type: "text", text: "" };
  const delta = isTool
    ? { type: "input_json_delta", partial_json: JSON.stringify(block.input) }
    : { type: "text_delta", text: block.text };
  const stop = { stop_reason: isTool ? "tool_use" : "end_turn", stop_sequence: null };
  return [
    ["message_start", { message }],
    ["content_block_start", { index: 0, content_block: start }],
    ["content_block_delta", { index: 0, delta }],
    ["content_block_stop", { index: 0 }],
    ["message_delta", { delta: stop, usage }],
    ["message_stop", {}],
  ];
}
