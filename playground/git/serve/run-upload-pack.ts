import type { ServerResponse } from "node:http";
import { exitCode, gitEnvironment } from "../run-git.ts";
import { startGit } from "../start-git.ts";

export type UploadPackCall = {
  readonly gitDir: string;
  /** What the client said it speaks; "" for the first version. */
  readonly protocol: string;
  /** What it sent; null asks for what there is. */
  readonly body: Buffer | null;
};

/** Lets git's own program answer, as any git server does: `git http-backend` would do no more than start it. */
export async function runUploadPack(
  { gitDir, protocol, body }: UploadPackCall,
  res: ServerResponse,
): Promise<void> {
  const how = body === null ? "--http-backend-info-refs" : "--stateless-rpc";
  const env = gitEnvironment({ GIT_PROTOCOL: protocol });
  const running = await startGit(["upload-pack", how, gitDir], env);
  running.stdin.end(body ?? "");
  // A client that has gone away must not leave a process behind.
  res.once("close", running.kill);
  let hasSpoken = res.headersSent;
  const code = await exitCode(running, async ({ kind, data }) => {
    if (kind === "stderr") return;
    hasSpoken = true;
    if (!res.write(data)) await drained(res);
  });
  if (code !== 0 && !hasSpoken && !res.destroyed) {
    res
      .writeHead(500, { "content-type": "text/plain" })
      .end(`failed to run git upload-pack (exit code ${code ?? "unknown"})\n`);
    return;
  }
  res.end();
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
