import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { dirname, join } from "node:path";

/** Secrets that nobody else has, so that a single byte run of them anywhere is proof of a leak. */
export function makeSentinels(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => [
      name,
      `${name.slice(0, 3).toLowerCase()}/${randomBytes(18).toString("base64")}+${randomBytes(9).toString("hex")}`,
    ]),
  );
}

/** In which of the texts a secret stands, in whatever form; empty when all is well. */
export function leaksOf(
  secrets: Readonly<Record<string, string>>,
  places: Readonly<Record<string, string>>,
): string[] {
  const leaks: string[] = [];
  for (const [name, secret] of Object.entries(secrets))
    for (const [form, text] of Object.entries(formsOf(secret)))
      for (const [place, content] of Object.entries(places))
        if (content.includes(text)) leaks.push(`${name}, ${form}, in ${place}: …${around(content, text)}…`);
  return leaks;
}

/** As it is, as anybody could easily write it, and its halves. */
function formsOf(secret: string): Record<string, string> {
  const half = Math.ceil(secret.length / 2);
  const base64 = (shift: number): string =>
    Buffer.from(`${"x".repeat(shift)}${secret}`)
      .toString("base64")
      .slice(4, -4);
  return {
    whole: secret,
    reversed: [...secret].reverse().join(""),
    "as part of an address": encodeURIComponent(secret),
    "its first half": secret.slice(0, half),
    "its second half": secret.slice(half),
    "in base64": base64(0),
    "in base64, moved by one": base64(1),
    "in base64, moved by two": base64(2),
    "in hexadecimal": Buffer.from(secret).toString("hex"),
  };
}

function around(content: string, text: string): string {
  const at = content.indexOf(text);
  return content.slice(Math.max(0, at - 60), at).replaceAll(/\s+/g, " ");
}

/** What every file in a folder is like: any change of them changes this. */
export function manifestOf(folder: string, except: readonly string[] = []): Record<string, string> {
  const manifest: Record<string, string> = {};
  const look = (path: string): void => {
    if (except.includes(path)) return;
    const stat = lstatSync(path);
    const what = stat.isSymbolicLink()
      ? readlinkSync(path)
      : stat.isFile()
        ? createHash("sha256").update(readFileSync(path)).digest("hex")
        : "";
    manifest[path] = [stat.mode, stat.nlink > 1 && stat.isFile() ? stat.nlink : "", what].join(" ");
    if (stat.isDirectory()) for (const name of readdirSync(path)) look(join(path, name));
  };
  look(folder);
  return manifest;
}

/** Every file, name and message in a repository, in no branch as well. */
export function allObjectsIn(gitDir: string): string {
  return execFileSync("git", ["-C", gitDir, "cat-file", "--batch", "--batch-all-objects", "--unordered"], {
    encoding: "latin1",
    maxBuffer: 256 * 1024 * 1024,
  });
}

/** A home with what people have in theirs. */
export function fillHome(home: string, secret: string): void {
  for (const path of [
    ".ssh/id_ed25519",
    ".netrc",
    ".aws/credentials",
    ".claude/.credentials.json",
    ".bashrc",
  ]) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), `# ${secret}\n`, { mode: 0o600 });
  }
}

export type Listener = { readonly port: number; heard(): readonly string[]; close(): Promise<void> };

/** A server on loopback that notes whoever comes. */
export async function startListener(): Promise<Listener> {
  const heard: string[] = [];
  const http = createServer((request, response) => {
    heard.push(`${request.method} ${request.url}`);
    response.end("thank you");
  });
  // Before HTTP, so that a mere connection counts.
  const sockets = new Set<Socket>();
  const tcp = createTcpServer((socket) => {
    sockets.add(socket);
    heard.push(`a connection from ${socket.remoteAddress}`);
    http.emit("connection", socket);
  });
  await new Promise<void>((done) => tcp.listen(0, "::", done));
  return {
    port: (tcp.address() as AddressInfo).port,
    heard: () => heard,
    close: () =>
      new Promise((done) => {
        tcp.close(() => done());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Living processes whose command line holds this text. */
export function processesNamed(text: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " ");
      } catch {
        return "";
      }
    })
    .filter((line) => line.includes(text));
}
