import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Probot } from "probot";
import { expect, it } from "vitest";
import { octokitWithoutAccess } from "../../src/app/octokit-without-access.ts";
import { openAppLog } from "../../src/app/open-app-log.ts";
import { APP_ID, PRIVATE_KEY, SECRET } from "./app-world.ts";
import { commentPayload } from "./payloads.ts";

it("gives handlers one idle client of GitHub for all events, which asks nothing", async () => {
  let asked = 0;
  const github = createServer((_, response) => {
    asked += 1;
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((done) => github.listen(0, "127.0.0.1", done));
  try {
    const probot = new Probot({
      appId: APP_ID,
      privateKey: PRIVATE_KEY,
      secret: SECRET,
      baseUrl: `http://127.0.0.1:${(github.address() as AddressInfo).port}`,
      log: await openAppLog({ format: "json", secrets: [], level: "silent" }),
      Octokit: octokitWithoutAccess(),
    });
    await probot.ready();
    const clients = new Set<unknown>();
    const refusals: unknown[] = [];
    probot.on("issue_comment.created", async ({ octokit }) => {
      clients.add(octokit);
      refusals.push(await octokit.request("GET /app").catch((error: Error) => error.message));
    });
    for (const id of ["one", "two"])
      await probot.receive({ id, name: "issue_comment", payload: commentPayload() } as never);
    expect(clients.size).toBe(1);
    expect(refusals).toEqual(Array(2).fill("the intake asks GitHub nothing"));
    expect(asked).toBe(0);
  } finally {
    await new Promise((done) => github.close(done));
  }
});
