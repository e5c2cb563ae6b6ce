import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createRunFiles } from "../../../src/adapters/local/run-files.ts";
import { createRedactor } from "../../../src/core/secrets/redact.ts";
import { secretsInFiles } from "../../../src/wiring/settings/secret-files.ts";
import { filesWithoutSecrets } from "../../../src/wiring/without-secrets.ts";
import { tempFolder } from "../../support/git-repo.ts";

it("takes what stands in files that variables name as secret, and in no others", () => {
  const folder = tempFolder();
  const key = "line-one-of-the-key-7Qz\nline-two-of-the-key-9Xw";
  writeFileSync(join(folder, "key.pem"), `${key}\n`);
  writeFileSync(join(folder, "large.pem"), "x".repeat(100_000));
  const env = {
    PRIVATE_KEY_PATH: "key.pem",
    GOOGLE_APPLICATION_CREDENTIALS: join(folder, "none.json"),
    TOKEN_FILE: join(folder, "large.pem"),
    PASSWORD_FILE: folder,
    README_FILE: "key.pem",
  };
  expect(secretsInFiles(env, folder)).toEqual([key]);
  const redact = createRedactor(env, secretsInFiles(env, folder));
  expect(redact("it says line-two-of-the-key-9Xw here")).toBe("it says [secret] here");
});

it("does not look through lines for a log that is full, and counts them", async () => {
  const files = createRunFiles({ root: tempFolder(), maxLogBytes: 100 });
  let looked = 0;
  const log = filesWithoutSecrets(files, (text) => {
    looked += 1;
    return text;
  }).openLog("r-1", "a", 1);
  for (let n = 0; n < 1_000; n += 1) log.write("0123456789");
  await log.close();
  expect(looked).toBeLessThan(12);
  const [kept] = await files.readLogs("r-1", "a");
  expect(kept?.text.split("\n").at(-2)).toBe("[Loom cut 10901 bytes here: a log holds 100 bytes.]");
});
