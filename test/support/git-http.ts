import { execFileSync, spawn } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Sha } from "../../src/core/ids.ts";
import { git, makeRepo, type TestRepo, tempFolder } from "./git-repo.ts";

/** Git over real HTTP on this machine, by git's own server program, with a token that it checks and faults to switch on. */
export type GitServer = {
  readonly url: string;
  /** The bare repository that is served. */
  readonly folder: string;
  /** A clone of it for the person who works on it. */
  readonly person: TestRepo;
  /** The tokens that are let in. */
  readonly tokens: Set<string>;
  readonly requests: { readonly path: string; readonly authorization: string | undefined; sent: number }[];
  /** Looked at before each request: an answer of its own, or null for the usual. */
  fault: Fault;
  refs(): Record<string, Sha>;
  /** Pushes what the person has as a branch, by force, past the server. */
  publish(branch: string, commit?: string): Sha;
  /** Runs before a push is taken; what it prints is what the other side is told. */
  preReceive(script: string): void;
};

export type Fault = (request: IncomingMessage) =>
  | null
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  /** Does all of it, then answers as if it had not. */
  | { readonly afterwards: number };

export async function serveGit(
  files: Readonly<Record<string, string>> | "empty" = { "README.md": "hello\n" },
): Promise<GitServer> {
  const person = makeRepo(files === "empty" ? {} : files);
  const root = tempFolder();
  const folder = join(root, "project.git");
  git(root, "init", "-q", "--bare", "-b", "main", folder);
  git(folder, "config", "http.receivepack", "true");
  const tokens = new Set<string>();
  const requests: GitServer["requests"] = [];

  const server = createServer((request, response) => {
    const { authorization } = request.headers;
    const entry = { path: request.url ?? "", authorization, sent: 0 };
    requests.push(entry);
    const fault = served.fault(request);
    if (fault !== null && "status" in fault) {
      response.writeHead(fault.status, fault.headers).end(fault.body ?? "");
    } else if (!isKnown(tokens, authorization)) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
    } else {
      answer(root, request, response, {
        instead: fault?.afterwards ?? null,
        done: (bytes) => {
          entry.sent = bytes;
        },
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  });

  const served: GitServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/project.git`,
    folder,
    person,
    tokens,
    requests,
    fault: () => null,
    refs() {
      const lines = git(folder, "for-each-ref", "--format=%(refname) %(objectname)").split("\n");
      return Object.fromEntries(lines.filter((line) => line !== "").map((line) => line.split(" ")));
    },
    publish(branch, commit = "HEAD") {
      const sha = person.sha(commit);
      person.git("push", "-q", "--force", folder, `${sha}:refs/heads/${branch}`);
      return sha;
    },
    preReceive(script) {
      const hook = join(folder, "hooks", "pre-receive");
      writeFileSync(hook, `#!/bin/sh\n${script}\n`);
      chmodSync(hook, 0o755);
    },
  };
  if (files !== "empty") served.publish("main");
  return served;
}

/** A server that writes down what it is asked, and answers nothing of use. */
export async function listenForTokens(): Promise<{ readonly url: string; readonly heard: string[] }> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(JSON.stringify([request.url, request.headers]));
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

function isKnown(tokens: ReadonlySet<string>, authorization: string | undefined): boolean {
  const [, encoded = ""] = /^Basic (.+)$/.exec(authorization ?? "") ?? [];
  const [user, token = ""] = Buffer.from(encoded, "base64").toString().split(":");
  return user === "x-access-token" && tokens.has(token);
}

const BACKEND = join(execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim(), "git-http-backend");

function answer(
  root: string,
  request: IncomingMessage,
  response: ServerResponse,
  { instead, done }: { instead: number | null; done: (bytes: number) => void },
): void {
  const { pathname, search } = new URL(request.url ?? "", "http://127.0.0.1");
  const header = (name: string): string => String(request.headers[name] ?? "");
  const child = spawn(BACKEND, {
    env: {
      PATH: process.env.PATH,
      HOME: root,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_PROTOCOL: header("git-protocol"),
      REQUEST_METHOD: request.method,
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: header("content-type"),
      HTTP_CONTENT_ENCODING: header("content-encoding"),
      REMOTE_USER: "somebody",
      REMOTE_ADDR: "127.0.0.1",
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.on("error", () => undefined);
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.on("close", () => {
    if (instead !== null) return void response.writeHead(instead).end();
    const whole = Buffer.concat(chunks);
    done(whole.length);
    const end = whole.indexOf("\r\n\r\n");
    let status = 200;
    for (const line of whole.subarray(0, end).toString().split("\r\n")) {
      const [name = "", value = ""] = line.split(/: (.*)/);
      if (name === "Status") status = Number.parseInt(value, 10);
      else if (name !== "") response.setHeader(name, value);
    }
    response.writeHead(status).end(whole.subarray(end + 4));
  });
}
