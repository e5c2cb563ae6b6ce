import { createPublicKey, verify } from "node:crypto";
import { findApp } from "../model/find.ts";
import { Refusal } from "../model/refusal.ts";
import type { App } from "../model/types.ts";
import type { World } from "../model/world.ts";
import type { Caller } from "./call.ts";

/** Who an Authorization header stands for. Refuses with GitHub's words: expired and unknown are the same 401. */
export function authenticate(world: World, header: string | undefined): Caller {
  if (header === undefined || header === "") return { kind: "anonymous" };
  const value = credential(header);
  const token = world.github.tokens.find((one) => one.value === value);
  if (!token) return { kind: "app", app: appOfJwt(world, value) };
  if (world.clock.now() >= token.expiresAt) throw new Refusal(401, "Bad credentials");
  if (token.owner.kind === "user") return { kind: "user", login: token.owner.login, token };
  const id = token.owner.installation;
  const installation = world.github.installations.find((one) => one.id === id);
  if (!installation || installation.removed) throw new Refusal(401, "Bad credentials");
  if (installation.suspended) throw new Refusal(403, "This installation has been suspended");
  return { kind: "installation", app: findApp(world, installation.app), installation, token };
}

/** `Bearer`, `token`, and Basic, where git and old clients put the token as the password. */
function credential(header: string): string {
  const [scheme = "", value = ""] = header.split(" ", 2);
  if (scheme.toLowerCase() !== "basic") return value;
  const [user = "", password = ""] = Buffer.from(value, "base64").toString("utf8").split(":", 2);
  return password === "" || password === "x-oauth-basic" ? user : password;
}

/**
 * The signature of the App's own key, and times that fit. They are compared with the machine's clock and not with the
 * world's: whoever signs has only the former, and a test that steps the world by an hour has not made it late.
 */
function appOfJwt(world: World, value: string): App {
  const [head = "", claims = "", signature = ""] = value.split(".");
  const read = parse(claims);
  const app = world.github.apps.find((one) => String(one.id) === String(read?.iss));
  if (!read || !app || parse(head)?.alg !== "RS256") throw undecodable();
  const signed = Buffer.from(`${head}.${claims}`);
  const key = createPublicKey(app.publicKey);
  if (!verify("RSA-SHA256", signed, key, Buffer.from(signature, "base64url"))) throw undecodable();
  const now = Math.floor(Date.now() / 1000);
  const { iat, exp } = read;
  if (typeof exp !== "number" || typeof iat !== "number") throw undecodable();
  if (exp <= now)
    throw new Refusal(
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    );
  if (exp > now + 660) throw new Refusal(401, "'Expiration time' claim ('exp') is too far in the future");
  if (iat > now + 60)
    throw new Refusal(
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    );
  return app;
}

function parse(part: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function undecodable(): Refusal {
  return new Refusal(401, "Bad credentials");
}
