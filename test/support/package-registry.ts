import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { onTestFinished } from "vitest";

export type RegistryRequest = { readonly method: string; readonly path: string; readonly body: string };

/** Files by path, and what is in `package.json` besides name and version. */
export type TestPackage = {
  readonly name: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly files?: Readonly<Record<string, string>>;
};

/**
 * A registry of npm on this machine, and a place to which code could be sent. Not on 127.0.0.1: programs in a sandbox ask for
 * that on their own loopback.
 */
export async function startRegistry(...packages: readonly TestPackage[]) {
  const requests: RegistryRequest[] = [];
  const tarballs = new Map(packages.map((one) => [one.name, pack(one)]));
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const path = new URL(request.url ?? "/", "http://registry").pathname;
      requests.push({ method: request.method ?? "", path, body: Buffer.concat(parts).toString() });
      const [, name = "", file] = path.split("/");
      const tarball = tarballs.get(name);
      if (!tarball) response.writeHead(404, { "content-type": "application/json" }).end("{}");
      else if (file === undefined) {
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(packument(name)));
      } else response.writeHead(200, { "content-type": "application/octet-stream" }).end(tarball);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.2", done));
  const { port } = server.address() as AddressInfo;
  const host = `127.0.0.2:${port}`;
  onTestFinished(() => void server.close());

  function packument(name: string) {
    const { fields } = packages.find((one) => one.name === name) ?? {};
    const version = {
      name,
      version: "1.0.0",
      ...fields,
      dist: { tarball: tarballOf(name), integrity: integrity(name) },
    };
    return { name, "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } };
  }
  const tarballOf = (name: string): string => `http://${host}/${name}/${name}-1.0.0.tgz`;
  const integrity = (name: string): string =>
    `sha512-${createHash("sha512")
      .update(tarballs.get(name) ?? "")
      .digest("base64")}`;

  return {
    host,
    url: `http://${host}/`,
    requests,
    /** What was sent here. */
    sent: () => requests.filter(({ method }) => method !== "GET" && method !== "HEAD"),
    /** What npm writes for a project that needs these. */
    lock(project: string, ...names: readonly string[]): string {
      const dependencies = Object.fromEntries(names.map((name) => [name, "1.0.0"]));
      const entries = names.map((name) => [
        `node_modules/${name}`,
        { version: "1.0.0", resolved: tarballOf(name), integrity: integrity(name), hasInstallScript: true },
      ]);
      return JSON.stringify({
        name: project,
        version: "1.0.0",
        lockfileVersion: 3,
        requires: true,
        packages: { "": { name: project, version: "1.0.0", dependencies }, ...Object.fromEntries(entries) },
      });
    },
  };
}

export type Registry = Awaited<ReturnType<typeof startRegistry>>;

function pack({ name, fields, files }: TestPackage): Buffer {
  const all = {
    "package.json": JSON.stringify({ name, version: "1.0.0", main: "index.js", ...fields }),
    ...files,
  };
  const blocks = Object.entries(all).flatMap(([path, text]) => entry(`package/${path}`, Buffer.from(text)));
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

/** One file in the format of tar. */
function entry(path: string, content: Buffer): Buffer[] {
  const head = Buffer.alloc(512);
  head.write(path, 0);
  head.write("0000644\0", 100);
  head.write("0000000\0", 108);
  head.write("0000000\0", 116);
  head.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124);
  head.write("00000000000\0", 136);
  head.write("        ", 148);
  head.write("0", 156);
  head.write("ustar\u000000", 257);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return [head, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
}
