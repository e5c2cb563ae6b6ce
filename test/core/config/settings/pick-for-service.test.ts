import { describe, expect, it } from "vitest";
import { pickForService } from "../../../../src/core/config/settings/pick-for-service.ts";

const FILE = {
  APP_ID: "4711",
  PRIVATE_KEY: "key",
  WEBHOOK_SECRET: "secret",
  REDIS_URL: "redis://127.0.0.1",
  ANTHROPIC_API_KEY: "model key",
  LOOM_HARNESS: "claude",
  LOOM_FALLBACK: "",
  LOOM_SANDBOX: "off",
  LOOM_SANDBOX_CMD: "/bin/env",
  LOOM_SANDBOX_SHOW: "/",
  LOOM_COMMAND_BIN: "/tmp/agent",
  LOOM_CLAUDE_BIN: "/tmp/claude",
  LOOM_CLAUDE_ARGS: "--mcp-config x",
  LOOM_PASS_ENV: "HOME",
  LOOM_ALLOWED_DOMAINS: "example.com",
  LOOM_TREES: "/tmp/trees",
  LOOM_CONFIG: "/tmp/config",
  LOOM_ENV_FILE: "/tmp/env",
  NODE_OPTIONS: "--require /tmp/evil.js",
  LD_PRELOAD: "/tmp/evil.so",
  PATH: "/tmp",
  GIT_SSH_COMMAND: "evil",
  HTTPS_PROXY: "http://evil",
  constructor: "evil",
  toString: "evil",
  EMPTY: "",
};
const OF_FOLDER = ["APP_ID", "PRIVATE_KEY", "WEBHOOK_SECRET", "REDIS_URL", "ANTHROPIC_API_KEY"];
const UNKNOWN = ["NODE_OPTIONS", "LD_PRELOAD", "PATH", "GIT_SSH_COMMAND", "HTTPS_PROXY"];

describe("the env file of a service", () => {
  it("sets the service up where it merely lies in the folder, and nothing else", () => {
    const { values, refused, onlyExported, unknown } = pickForService(FILE, false);
    expect(Object.keys(values)).toEqual([...OF_FOLDER, "LOOM_HARNESS", "LOOM_FALLBACK"]);
    expect(refused).toEqual([
      "LOOM_SANDBOX",
      "LOOM_SANDBOX_CMD",
      "LOOM_SANDBOX_SHOW",
      "LOOM_COMMAND_BIN",
      "LOOM_CLAUDE_BIN",
      "LOOM_CLAUDE_ARGS",
      "LOOM_PASS_ENV",
      "LOOM_ALLOWED_DOMAINS",
      "LOOM_TREES",
    ]);
    expect(onlyExported).toEqual(["LOOM_CONFIG", "LOOM_ENV_FILE"]);
    expect(unknown).toEqual([...UNKNOWN, "constructor", "toString"]);
  });

  it("sets every setting where the operator names it, and still nothing that is none", () => {
    const { values, refused, onlyExported, unknown } = pickForService(FILE, true);
    expect(values).toMatchObject({ LOOM_SANDBOX: "off", LOOM_COMMAND_BIN: "/tmp/agent", APP_ID: "4711" });
    expect(refused).toEqual([]);
    expect(onlyExported).toEqual(["LOOM_CONFIG", "LOOM_ENV_FILE"]);
    expect(unknown).toEqual([...UNKNOWN, "constructor", "toString"]);
  });

  it("chooses no agent that a repository may not choose, unless it is named", () => {
    expect(pickForService({ LOOM_HARNESS: "command" }, false)).toMatchObject({
      values: {},
      refused: ["LOOM_HARNESS"],
    });
  });
});
