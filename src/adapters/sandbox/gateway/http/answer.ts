import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** Answers with one sentence. When the head of another answer is out already, all that is left is to break off. */
export function answerText(response: ServerResponse, status: number, sentence: string): void {
  send(response, status, "text/plain; charset=utf-8", `${sentence}\n`);
}

export function answerJson(response: ServerResponse, status: number, value: unknown): void {
  send(response, status, "application/json", JSON.stringify(value));
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // What is left of the request is not waited for.
  if (!response.req.complete) response.setHeader("connection", "close");
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text) }).end(text);
}

/**
 * The head of an answer that comes from elsewhere. Throws for one that can't be sent, with nothing sent: a server can make up
 * any three digits, and what is below 200 is no answer to those who wait for one.
 */
export function handHeadOn(response: ServerResponse, status: number, headers: OutgoingHttpHeaders): void {
  if (!(status >= 200 && status <= 599)) throw new Error(`it answers with the unknown status ${status}`);
  response.writeHead(status, headers);
  // A stream of events has to be seen before its first event comes.
  response.flushHeaders();
}

/** For connections that are no HTTP exchange of Node's own: refused tunnels and requests that can't be read. */
export function answerOnSocket(socket: Duplex, status: string, sentence: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const text = `${sentence}\n`;
  const head = [
    `HTTP/1.1 ${status}`,
    "content-type: text/plain; charset=utf-8",
    `content-length: ${Buffer.byteLength(text)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${text}`, () => socket.destroy());
}
