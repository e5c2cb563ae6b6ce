import type { IncomingMessage, ServerResponse } from "node:http";

/** As Probot's middleware reads it. Strangers choose it, so the slashes are counted from the end, in linear time (T25). */
export function pathOf(request: Pick<IncomingMessage, "url">): string {
  const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
  let end = path.length;
  while (path[end - 1] === "/") end -= 1;
  return path.slice(0, end) || "/";
}

export function answerText(response: ServerResponse, status: number, text: string): void {
  answer(response, status, "text/plain; charset=utf-8", `${text}\n`);
}

export function answerHtml(response: ServerResponse, status: number, html: string): void {
  // The only thing these pages do is send a form to GitHub.
  response.setHeader("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'");
  response.setHeader("referrer-policy", "no-referrer");
  response.setHeader("x-frame-options", "DENY");
  answer(response, status, "text/html; charset=utf-8", html);
}

export function answerJson(response: ServerResponse, status: number, value: unknown): void {
  answer(response, status, "application/json", `${JSON.stringify(value)}\n`);
}

function answer(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(body);
}
