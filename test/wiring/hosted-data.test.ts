import { expect, it } from "vitest";
import { openHosted } from "../../src/wiring/hosted/hosted.ts";
import { withoutBubblewrap } from "../support/without-bubblewrap.ts";

it("a service says which folder can't hold its data", async () => {
  const app = { appId: 1, privateKey: "", baseUrl: "http://127.0.0.1:1", githubUrl: "http://127.0.0.1:1" };
  const opening = openHosted({ env: { LOOM_DATA: "/proc/x" }, cwd: "/", app, warn: () => {} });
  await expect(opening).rejects.toMatchObject({
    name: "UserError",
    message: expect.stringMatching(
      /^The data of a service can't stand in \/proc\/x: \/proc can't be written to: /,
    ),
    next: "Set LOOM_DATA to a folder that you may write to.",
  });
});

it("a service that runs agents needs a sandbox before anything else, one that runs none does not", async () => {
  const app = { appId: 1, privateKey: "", baseUrl: "http://127.0.0.1:1", githubUrl: "http://127.0.0.1:1" };
  const env = { LOOM_DATA: "/proc/x", PATH: withoutBubblewrap() };
  const open = (runsAgents: boolean, more = {}) =>
    openHosted({ env: { ...env, ...more }, cwd: "/", app, runsAgents, warn: () => {} });
  await expect(open(true)).rejects.toThrow("A service starts no agents without a sandbox, and there is none");
  await expect(open(true, { LOOM_SANDBOX: "off" })).rejects.toThrow("The data of a service");
  await expect(open(false)).rejects.toThrow("The data of a service");
});
