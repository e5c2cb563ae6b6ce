import { createPrivateKey, createSign, hkdfSync, type KeyObject } from "node:crypto";
import { UserError } from "../../core/errors.ts";

/** Line breaks survive few ways of passing a key on, so that `\n` is taken for one. */
export function readPrivateKey(text: string): KeyObject {
  try {
    return createPrivateKey(text.replaceAll("\\n", "\n").trim());
  } catch {
    // What the library says could quote the key.
    throw new UserError("The private key of the GitHub App can't be read.", {
      next: "Set PRIVATE_KEY to the whole content of the .pem file, or PRIVATE_KEY_PATH to its path.",
    });
  }
}

/** What an App shows to speak for itself. Dated a minute back, for clocks that differ. */
export function signAppJwt({ appId, key, now }: { appId: string; key: KeyObject; now: number }): string {
  const second = Math.floor(now / 1000);
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg: "RS256", typ: "JWT" })}.${part({ iat: second - 60, exp: second + 480, iss: appId })}`;
  return `${text}.${createSign("RSA-SHA256").update(text).sign(key, "base64url")}`;
}

/** The key that copies of ledgers are signed with. Whoever holds the App's key can make it, and nobody else. */
export function signingKeyOf(privateKey: string): Buffer {
  return keyFor(privateKey, "loom ledger mirror 1");
}

/** What lies in the store is signed with a key for each kind, so that nothing of one kind passes for another. */
export function storeKeyOf(privateKey: string, kind: "deliveries" | "runs" | "tasks" | "notes"): Buffer {
  return keyFor(privateKey, `loom store ${kind} 1`);
}

function keyFor(privateKey: string, use: string): Buffer {
  const der = readPrivateKey(privateKey).export({ type: "pkcs8", format: "der" });
  return Buffer.from(hkdfSync("sha256", der, "", use, 32));
}
