import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readAppEnv } from "../../src/app/read-app-env.ts";
import { PRIVATE_KEY } from "./app-world.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "loom-env-"));
  writeFileSync(join(folder, "key.pem"), PRIVATE_KEY);
  writeFileSync(join(folder, "note.txt"), "nothing secret");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FULL = { APP_ID: "4711", PRIVATE_KEY, WEBHOOK_SECRET: "long and random" };
const problemsOf = (env: Record<string, string>): readonly string[] => {
  const reading = readAppEnv(env, folder);
  return reading.kind === "problems" ? reading.problems : [];
};

describe("reading the environment", () => {
  it("takes what it needs and fills in the rest", () => {
    expect(readAppEnv(FULL, folder)).toEqual({
      kind: "ready",
      env: {
        appId: 4711,
        privateKey: PRIVATE_KEY,
        previousKeys: [],
        webhookSecret: "long and random",
        baseUrl: "https://api.github.com",
        githubUrl: "https://github.com",
        host: "127.0.0.1",
        port: 3000,
      },
    });
  });

  it.each([
    ["on one line with \\n", { PRIVATE_KEY: PRIVATE_KEY.replaceAll("\n", "\\n") }],
    ["in base64", { PRIVATE_KEY: Buffer.from(PRIVATE_KEY).toString("base64") }],
    ["from a file", { PRIVATE_KEY: "", PRIVATE_KEY_PATH: "key.pem" }],
  ])("takes the key %s", (_, key) => {
    expect(readAppEnv({ ...FULL, ...key }, folder)).toMatchObject({
      kind: "ready",
      env: { privateKey: PRIVATE_KEY },
    });
  });

  it("takes the key that was replaced, and says what is wrong with it", () => {
    expect(readAppEnv({ ...FULL, PREVIOUS_PRIVATE_KEY: PRIVATE_KEY }, folder)).toMatchObject({
      env: { previousKeys: [PRIVATE_KEY] },
    });
    expect(readAppEnv({ ...FULL, PREVIOUS_PRIVATE_KEY_PATH: "key.pem" }, folder)).toMatchObject({
      env: { previousKeys: [PRIVATE_KEY] },
    });
    expect([
      ...problemsOf({ ...FULL, PREVIOUS_PRIVATE_KEY: "verysecret" }),
      ...problemsOf({ ...FULL, PREVIOUS_PRIVATE_KEY_PATH: "missing.pem" }),
    ]).toEqual([
      "PREVIOUS_PRIVATE_KEY holds no private key. Copy the whole .pem file, or set PREVIOUS_PRIVATE_KEY_PATH to its path.",
      'PREVIOUS_PRIVATE_KEY_PATH is "missing.pem", but it can\'t be read: there is no such file.',
    ]);
  });

  it("finds GitHub Enterprise", () => {
    expect(readAppEnv({ ...FULL, GHE_HOST: "git.example.test" }, folder)).toMatchObject({
      env: { baseUrl: "https://git.example.test/api/v3", githubUrl: "https://git.example.test" },
    });
    expect(readAppEnv({ ...FULL, GHE_HOST: "127.0.0.1:4000", GHE_PROTOCOL: "http" }, folder)).toMatchObject({
      env: { baseUrl: "http://127.0.0.1:4000/api/v3" },
    });
  });

  it("prefers LOOM_PORT to the PORT that a platform sets", () => {
    expect(readAppEnv({ ...FULL, PORT: "8080" }, folder)).toMatchObject({ env: { port: 8080 } });
    expect(readAppEnv({ ...FULL, PORT: "8080", LOOM_PORT: "0", HOST: "::" }, folder)).toMatchObject({
      env: { port: 0, host: "::" },
    });
  });

  it("sees that there is no App yet", () => {
    expect(readAppEnv({ APP_ID: "", PORT: "8080" }, folder)).toMatchObject({
      kind: "unregistered",
      env: { port: 8080, githubUrl: "https://github.com" },
    });
  });

  it("does not take a key that happens to lie around", () => {
    expect(readAppEnv({ APP_ID: "4711", WEBHOOK_SECRET: "s" }, folder)).toMatchObject({ kind: "problems" });
  });

  it("tells every problem at once", () => {
    expect(
      problemsOf({
        APP_ID: "my-app",
        PRIVATE_KEY: "-----BEGIN sentinel",
        PORT: "70000",
        GHE_HOST: "https://git.example.test/",
        GHE_PROTOCOL: "ftp",
      }),
    ).toMatchInlineSnapshot(`
      [
        "GHE_PROTOCOL is "ftp". Set it to https, or http for a server on this machine.",
        "GHE_HOST is "https://git.example.test/". Give the name only, without https:// and without a path.",
        "PORT is "70000". Give a number from 0 to 65535.",
        "APP_ID is "my-app". Give the number on top of the App's settings page on GitHub.",
        "PRIVATE_KEY holds no private key. Copy the whole .pem file, or set PRIVATE_KEY_PATH to its path.",
        "WEBHOOK_SECRET is missing. Set the same secret here and in the App's settings on GitHub.",
      ]
    `);
  });

  it.each<[Record<string, string>]>([
    [{ APP_ID: "" }],
    [{ APP_ID: "1e3" }],
    [{ PRIVATE_KEY: "" }],
    [{ PRIVATE_KEY: "", PRIVATE_KEY_PATH: "missing.pem" }],
    [{ PRIVATE_KEY: "", PRIVATE_KEY_PATH: "note.txt" }],
    [{ PRIVATE_KEY: "", PRIVATE_KEY_PATH: "." }],
    [{ WEBHOOK_SECRET: "" }],
    [{ WEBHOOK_SECRET: "development" }],
  ])("refuses %j", (change) => {
    expect(problemsOf({ ...FULL, ...change })).toHaveLength(1);
  });

  it("says what to do about each of them", () => {
    const changes: Record<string, string>[] = [
      { APP_ID: "" },
      { PRIVATE_KEY: "" },
      { PRIVATE_KEY: "", PRIVATE_KEY_PATH: "missing.pem" },
      { PRIVATE_KEY: "", PRIVATE_KEY_PATH: "note.txt" },
      { PRIVATE_KEY: "", PRIVATE_KEY_PATH: "." },
      { WEBHOOK_SECRET: "" },
      { WEBHOOK_SECRET: "development" },
    ];
    expect(changes.flatMap((change) => problemsOf({ ...FULL, ...change }))).toMatchInlineSnapshot(`
      [
        "APP_ID is missing. It is the number on top of the App's settings page on GitHub.",
        "PRIVATE_KEY is missing. Set it, or PRIVATE_KEY_PATH, to the key that the App's settings page let you download.",
        "PRIVATE_KEY_PATH is "missing.pem", but it can't be read: there is no such file.",
        "PRIVATE_KEY_PATH is "note.txt", but that file holds no private key.",
        "PRIVATE_KEY_PATH is ".", but it can't be read: EISDIR.",
        "WEBHOOK_SECRET is missing. Set the same secret here and in the App's settings on GitHub.",
        "WEBHOOK_SECRET is "development", which everybody knows. Choose a long random one.",
      ]
    `);
  });

  it("never repeats a key", () => {
    const broken = PRIVATE_KEY.replace("BEGIN", "BEGUN");
    expect(problemsOf({ ...FULL, PRIVATE_KEY: broken }).join()).not.toContain(PRIVATE_KEY.split("\n")[2]);
  });
});
