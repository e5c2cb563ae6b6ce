import { expect, it } from "vitest";
import { openHosted } from "../../src/wiring/hosted.ts";

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
