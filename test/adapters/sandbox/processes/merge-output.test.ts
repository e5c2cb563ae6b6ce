import { connect, createServer, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { mergeOutput } from "../../../../src/adapters/sandbox/processes/merge-output.ts";

/** Two ends of one connection in this process. */
async function connected(): Promise<{ near: Socket; far: Socket; close: () => void }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
  const near = connect(address.port, "127.0.0.1");
  const far = await accepted;
  return { near, far, close: () => void server.close() };
}

function keepBusy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe("the output of a program that has ended", () => {
  it("is read to its end by a process that was busy with something else", async () => {
    const { near, far, close } = await connected();
    const stderr = new PassThrough();
    const { output, settle } = mergeOutput({ stdout: near, stderr });
    stderr.end();
    // From an immediate, timers come before pipes.
    await new Promise(setImmediate);
    settle();
    far.write("last words");
    keepBusy(300);
    let heard = "";
    for await (const { data } of output) heard += data.toString();
    expect(heard).toBe("last words");
    far.destroy();
    close();
  });
});
