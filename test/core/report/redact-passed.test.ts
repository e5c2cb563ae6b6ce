import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/core/secrets/redact.ts";
import { quickly } from "../../support/quickly.ts";

describe("which values of an environment are secret", () => {
  it.each([
    "DB_PASS",
    "PGPASSWORD",
    "DBPASS",
    "MYSQL_PWD",
    "GITHUB_PAT",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "SENTRY_DSN",
    "SESSION_COOKIE",
    "PASSWORD_SALT",
    "SIGNING_KEY_2",
    "DOCKER_AUTH_CONFIG",
    "AZURE_STORAGE_CONNECTION_STRING",
    "WEBHOOK_ID",
    "PRIVATE_PART",
    "SESSION_ID",
    "NPM_TOKEN_OLD",
    "smtp_password",
    "WALLET_MNEMONIC",
  ])("%s says it by its name", (name) => {
    expect(createRedactor({ [name]: "q7Zp-4kLm9x" })("it is q7Zp-4kLm9x!")).toBe("it is [secret]!");
  });

  it.each(["DEPLOY_TARGET", "X", "MY_THING", "constructor", "__proto__"])(
    "%s does not, and is one because it is passed on purpose",
    (name) => {
      const value = "q7Zp-4kLm9x";
      const env = Object.fromEntries([
        [name, value],
        ["LOOM_PASS_ENV", `CI, ${name},`],
      ]);
      expect(createRedactor(env)(`it is ${value}!`)).toBe("it is [secret]!");
      expect(createRedactor({ ...env, LOOM_PASS_ENV: "" })(`it is ${value}!`)).toBe(`it is ${value}!`);
    },
  );

  it.each([
    "--api-key q7Zp-4kLm9x",
    "--verbose --apiKey=q7Zp-4kLm9x --fast",
    "--token 'q7Zp-4kLm9x'",
    '--header "Authorization: Bearer q7Zp-4kLm9x"',
    '--header="X-Api-Key: q7Zp-4kLm9x"',
    "-c provider.secret=q7Zp-4kLm9x",
    "API_KEY=q7Zp-4kLm9x --flag",
    "--proxy http://me:q7Zp-4kLm9x@proxy.example:8080",
    '--token "q7Zp-4kLm9x',
    '["--fast", "--token", "q7Zp-4kLm9x"]',
    '["-c", "curl -H token=q7Zp-4kLm9x\\n"]',
  ])("arguments of an agent hold one: %s", (value) => {
    for (const name of ["LOOM_CLAUDE_ARGS", "LOOM_COMMAND_ARGS"])
      expect(createRedactor({ [name]: value })("it is q7Zp-4kLm9x!")).toBe("it is [secret]!");
  });

  it("arguments of an agent that hold none stay readable", () => {
    const value =
      "--model opus-4-1 --auth auto --max-tokens 20000 --session-id resume --add-dir /srv/shared/tools";
    const redact = createRedactor({ LOOM_CLAUDE_ARGS: value });
    expect(redact(`claude ${value}`)).toBe(`claude ${value}`);
    const script = "mkdir -p tools/bin\nprintf x > /srv/a39e84948d3a4be2/first.txt\necho all is well here";
    const scripted = createRedactor({ LOOM_COMMAND_ARGS: JSON.stringify(["-c", script]) });
    expect(scripted(script)).toBe(script);
    expect(createRedactor({ OTHER_ARGS: "--api-key q7Zp-4kLm9x" })("q7Zp-4kLm9x")).toBe("q7Zp-4kLm9x");
  });

  it("arguments of an agent are read in time that grows with their length", () => {
    for (const piece of ["--token ", '"', "\\", "a=", "-", '"\\'])
      quickly(1_000, () => createRedactor({ LOOM_CLAUDE_ARGS: piece.repeat(100_000) })("x"));
  });

  it.each([
    ["CI", "true"],
    ["FORCE_COLOR", "1"],
    ["NODE_ENV", "production"],
    ["AWS_REGION", "us-east-1"],
    ["NODE_VERSION", "v20.11.1"],
    ["LC_ALL", "en_US.UTF-8"],
    ["JAVA_HOME", "/usr/lib/jvm/java-17-openjdk-amd64"],
    ["NPM_REGISTRY", "https://registry.npmjs.org/"],
    ["DEBUG", "express:router"],
    ["GOFLAGS", "-mod=mod"],
  ])("%s=%s stays readable although it is passed", (name, value) => {
    const text = `${name} is ${value} here, and production is not tested`;
    expect(createRedactor({ [name]: value, LOOM_PASS_ENV: name })(text)).toBe(text);
  });

  it.each([
    ["PWD", "/root/4f9a1c7e/work"],
    ["SSH_AUTH_SOCK", "/tmp/ssh-a8Fk2Lm9/agent.12"],
    ["XDG_SESSION_ID", "c4f9a1c7e"],
    ["LOOM_PASS_ENV", "DB_PASS,GITHUB_PAT,MYSQL_PWD,AWS_KEY9"],
    ["DESKTOP_SESSION", "gnome-xorg-4a7b9c"],
  ])("%s is no secret by its name", (name, value) => {
    expect(createRedactor({ [name]: value })(`in ${value}.`)).toBe(`in ${value}.`);
  });

  it("is a passphrase of many plain words", () => {
    const value = "correct horse battery staple";
    expect(createRedactor({ PHRASE: value, LOOM_PASS_ENV: "PHRASE" })(`say ${value}`)).toBe("say [secret]");
  });

  it("is what was drawn at random in an address, and not its host", () => {
    const env = {
      SLACK_WEBHOOK: "https://hooks.example.com/services/T01AB23CD/B98ZY76XW/q7Zp4kLm9xW2vN8t",
      STORE: "https://store.example.com/files?sig=a%2Fb9Zp4kLm9x&page=2",
      LOOM_PASS_ENV: "STORE",
    };
    expect(createRedactor(env)(`${env.SLACK_WEBHOOK} and ${env.STORE} and a/b9Zp4kLm9x`)).toBe(
      "https://hooks.example.com/services/[secret]/[secret]/[secret] and https://store.example.com/files?sig=[secret]&page=2 and [secret]",
    );
  });

  it("is the password in a connection string, each line of a key and each field of a JSON document", () => {
    const clean = createRedactor({
      DB_CONNECTION: "Server=db;User=app;Password=q7Zp4kLm9x;",
      DEPLOY_KEY: "first-line-of-the-key-0\nsecond-line-of-the-key-1\n",
      ACCOUNT: JSON.stringify({ type: "service_account", private_id: "0f9a1c7e5b2d4860" }),
      LOOM_PASS_ENV: "ACCOUNT",
    });
    expect(clean("q7Zp4kLm9x | second-line-of-the-key-1 plus 0f9a1c7e5b2d4860 | service_account")).toBe(
      "[secret] | [secret] plus [secret] | service_account",
    );
  });
});

const SECRET = "q7Zp/4kLm+9xW2v=N8t";
const bytes = Buffer.from(SECRET);
const hex = bytes.toString("hex");
const each = (write: (byte: number) => string, by = "") => [...bytes].map(write).join(by);
const pair = (byte: number) => byte.toString(16).padStart(2, "0");
const base32 = (text: string) =>
  [...Buffer.from(text)]
    .map((byte) => byte.toString(2).padStart(8, "0"))
    .join("")
    .replace(/[01]{1,5}/g, (bits) =>
      "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".charAt(Number.parseInt(bits.padEnd(5, "0"), 2)),
    );

describe("a secret is found", () => {
  const redact = createRedactor({ DEPLOY_TOKEN: SECRET });

  it.each([
    ["in hex", hex],
    ["in capital hex", hex.toUpperCase()],
    ["in hex with colons", each(pair, ":")],
    ["in hex with blanks", each(pair, " ")],
    ["in hex as xxd prints it", hex.replace(/(.{4})/g, "$1 ")],
    ["as \\x escapes", each((byte) => `\\x${pair(byte)}`)],
    ["as a list of 0x numbers", each((byte) => `0x${pair(byte)}`, ", ")],
    ["as \\u escapes", each((byte) => `\\u00${pair(byte)}`)],
    ["as entities", each((byte) => `&#x${pair(byte)};`)],
    ["as decimal entities", each((byte) => `&#${byte};`)],
    ["as a list of numbers", JSON.stringify([...bytes])],
    ["in octal", each((byte) => `\\${byte.toString(8).padStart(3, "0")}`)],
    ["in bits", each((byte) => byte.toString(2).padStart(8, "0"), " ")],
    ["with every letter as in an address", each((byte) => `%${pair(byte)}`)],
    ["as part of an address", encodeURIComponent(SECRET)],
    ["as part of an address, in small letters", encodeURIComponent(SECRET).toLowerCase()],
    ["in base64", bytes.toString("base64")],
    ["in base64 for addresses, without its end", bytes.toString("base64url")],
    ["in base64 with line breaks", bytes.toString("base64").replace(/(.{5})/g, "$1\n")],
    ["in base64 behind a letter", Buffer.from(`a${SECRET}`).toString("base64").slice(3)],
    ["in base64 behind two letters", Buffer.from(`ab${SECRET}`).toString("base64").slice(4)],
    ["turned around", [...SECRET].reverse().join("")],
    ["turned around, in base64", Buffer.from([...SECRET].reverse().join("")).toString("base64")],
    ["in base64 of its base64", Buffer.from(bytes.toString("base64")).toString("base64")],
    ["in base64 of its UTF-16", Buffer.from(SECRET, "utf16le").toString("base64")],
    [
      "in base64 of its UTF-16, the other way around",
      Buffer.from(SECRET, "utf16le").swap16().toString("base64"),
    ],
    ["in base32", base32(SECRET)],
    ["in base32 behind three letters", base32(`abc${SECRET}`).slice(5)],
    ["in JSON", JSON.stringify(JSON.stringify({ SECRET }))],
    ["in capitals", SECRET.toUpperCase()],
    ["in small letters", SECRET.toLowerCase()],
    ["with blanks between its letters", [...SECRET].join(" ")],
    ["with line breaks between its letters", [...SECRET].join("\r\n")],
    ["with commas and quotes between its letters", JSON.stringify([...SECRET])],
    ["in four lines", SECRET.replace(/(.{5})/g, "$1\n  ")],
    ["in dots", [...SECRET].join(".")],
    ["without its signs", SECRET.replace(/[^A-Za-z0-9]/g, "")],
  ])("%s", (_name, written) => {
    const shown = redact(`before ${written} after`);
    expect(shown).toContain("[secret]");
    expect(shown.length).toBeLessThan("before  after".length + 8 + 20);
    expect(shown).toMatch(/^befor.*fter$/s);
  });

  it("whatever it is, and whatever stands around it", () => {
    const secrets = fc.stringMatching(/^[A-Za-z0-9]{16,50}[+/_-]{0,4}$/);
    const encoders = [
      (text: string) => text,
      (text: string) => Buffer.from(text).toString("hex"),
      (text: string) => Buffer.from(text).toString("base64"),
      (text: string) => [...text].reverse().join(""),
      (text: string) => [...text].join("-"),
    ];
    fc.assert(
      fc.property(secrets, fc.nat(4), fc.string(), fc.string(), (secret, which, before, after) => {
        const written = encoders[which]?.(secret) ?? "";
        expect(createRedactor({ A_TOKEN: secret })(`${before} ${written} ${after}`)).not.toContain(written);
      }),
    );
  });

  it("and prose with the same letters is left alone", () => {
    const text = "The quick brown fox: 0x41, \\x42, %43, dGhlIHF1aWNr, 61:62:63, [1, 2, 3] and production.";
    expect(redact(text)).toBe(text);
  });

  it("in time that doubles with the text", () => {
    const many = createRedactor(
      Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`A${n}_TOKEN`, `${n}-${SECRET}-${n * 7919}`])),
    );
    for (const part of ["ab-12.", "q7Zp/4kLm", `${hex.slice(0, 12)} `, "a", "-", "-----BEGIN PRIVATE KEY"]) {
      quickly(4_000, () => many(part.repeat(Math.ceil(1_000_000 / part.length))), part);
      quickly(8_000, () => many(part.repeat(Math.ceil(2_000_000 / part.length))), part);
    }
  });

  it("in a short time although there are many secrets and one of them is long", () => {
    quickly(3_000, () => createRedactor({ A_KEY: "ab".repeat(100_000), B_KEY: "a".repeat(100_000) })("x"));
  });
});
