import { describe, expect, it } from "vitest";
import { dataFolder, pacing, slotsOf, withoutOwnSecrets } from "../../../src/wiring/settings/hosted-env.ts";

describe("the environment of a service", () => {
  it("says where its files are, or leaves it to the system", () => {
    expect(dataFolder({ LOOM_DATA: "here", XDG_STATE_HOME: "/state" })).toBe("here");
    expect(dataFolder({ XDG_STATE_HOME: "/state", HOME: "/home/ada" })).toBe("/state/loom");
    expect(dataFolder({ HOME: "/home/ada" })).toBe("/home/ada/.local/state/loom");
  });

  it("may set the pause between writes", () => {
    expect(pacing({})).toEqual({});
    expect(pacing({ LOOM_WRITE_PAUSE_MS: " " })).toEqual({});
    expect(pacing({ LOOM_WRITE_PAUSE_MS: "0" })).toEqual({ pacing: { burst: 10, everyMs: 0 } });
    expect(pacing({ LOOM_WRITE_PAUSE_MS: "250" })).toEqual({ pacing: { burst: 10, everyMs: 250 } });
  });

  it.each(["-1", "fast", "1.5", "60001", "Infinity"])("refuses a pause of %s", (text) => {
    expect(() => pacing({ LOOM_WRITE_PAUSE_MS: text })).toThrow(
      expect.objectContaining({
        name: "UserError",
        message: `LOOM_WRITE_PAUSE_MS is "${text}".`,
        next: "Give a whole number from 0 to 60000, or leave it out for a second.",
        exitCode: 2,
      }),
    );
  });

  it("may limit the agents of one installation", () => {
    expect(slotsOf({})).toBeNull();
    expect(slotsOf({ LOOM_MAX_PER_INSTALLATION: "4" })).toBe(4);
    expect(() => slotsOf({ LOOM_MAX_PER_INSTALLATION: "0" })).toThrow(
      expect.objectContaining({
        message: 'LOOM_MAX_PER_INSTALLATION is "0".',
        next: "Give a whole number from 1 to 1000, or leave it out for no limit.",
      }),
    );
  });

  it("reaches agents without the App's own keys (T10)", () => {
    expect(
      withoutOwnSecrets({
        PATH: "/bin",
        PRIVATE_KEY: "key",
        WEBHOOK_SECRET: "s",
        REDIS_URL: "r",
        REDIS_PASSWORD: "p",
      }),
    ).toEqual({
      PATH: "/bin",
    });
  });
});
