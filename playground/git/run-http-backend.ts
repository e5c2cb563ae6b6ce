import type { IncomingMessage, ServerResponse } from "node:http";
import { basename, dirname } from "node:path";
import { exitCode, gitEnvironment } from "./run-git.ts";
import { startGit } from "./start-git.ts";

/** Lets git's own CGI program answer: what it says is what any git server says. */
export async function runHttpBackend(
  gitDir: string,
  service: string,
  query: string,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const running = await startGit(["http-backend"], gitEnvironment(cgiVariables(gitDir, service, query, req)));
  req.pipe(running.stdin);
  // A client that has gone away must not leave a process behind.
  res.once("close", running.kill);
  let head: Buffer | null = Buffer.alloc(0);
  const code = await exitCode(running, async ({ kind, data }) => {
    if (kind === "stderr") return;
    if (head === null) {
      if (!res.write(data)) await drained(res);
      return;
    }
    head = Buffer.concat([head, data]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    writeHead(res, head.toString("latin1", 0, end));
    res.write(head.subarray(end + 4));
    head = null;
  });
  if (head !== null && !res.headersSent && !res.destroyed) {
    res
      .writeHead(500, { "content-type": "text/plain" })
      .end(`failed to run git http-backend (exit code ${code ?? "unknown"})\n`);
    return;
  }
  res.end();
}

function cgiVariables(
  gitDir: string,
  service: string,
  query: string,
  req: IncomingMessage,
): Record<string, string> {
  const header = (name: string): string => req.headers[name]?.toString() ?? "";
  return {
    GIT_PROJECT_ROOT: dirname(gitDir),
    PATH_INFO: `/${basename(gitDir)}/${service}`,
    GIT_HTTP_EXPORT_ALL: "1",
    REQUEST_METHOD: req.method ?? "GET",
    QUERY_STRING: query,
    REMOTE_ADDR: "127.0.0.1",
    REMOTE_USER: "playground",
    CONTENT_TYPE: header("content-type"),
    HTTP_CONTENT_ENCODING: header("content-encoding"),
    GIT_PROTOCOL: header("git-protocol"),
    ...(req.headers["content-length"] === undefined ? {} : { CONTENT_LENGTH: header("content-length") }),
  };
}

function writeHead(res: ServerResponse, text: string): void {
  let status = 200;
  for (const line of text.split("\r\n")) {
    const colon = line.indexOf(":");
    const [name, value] = [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    if (name.toLowerCase() === "status") status = Number.parseInt(value, 10);
    else if (name !== "") res.setHeader(name, value);
  }
  res.writeHead(status);
}

async function drained(res: ServerResponse): Promise<void> {
  // Whoever has gone away already is not going to say so again.
  if (res.closed) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      res.off("drain", done).off("close", done);
      resolve();
    };
    res.once("drain", done).once("close", done);
  });
}
