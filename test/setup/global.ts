import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import type { TestProject } from "vitest/node";
import { createKeyPair } from "../../playground/model/create-app.ts";
import { ensureAgentClis } from "./agent-clis.ts";
import { BROWSERS } from "./browsers.ts";
import { ensureProgram, installProgram, isThere } from "./ensure-program.ts";

/** Runs once before all tests: those that start `loom`, or a part of it, as a process of its own need the build. */
export function setup(project: TestProject): void {
  project.provide("appKey", createKeyPair());
  ensureProgram("git", "git");
  ensureProgram("setsid", "util-linux");
  ensureProgram("ps", "procps");
  // Only some files need these, and say so themselves when they are missing; but files run side by side, and apt does not.
  installProgram("bwrap", "bubblewrap");
  installProgram("redis-server", "redis-server");
  installProgram("openssl", "openssl");
  installProgram("strace", "strace");
  if (!BROWSERS.some(isThere)) installProgram("chromium", "chromium");
  installAgentClis();
  const root = resolve(import.meta.dirname, "../..");
  execFileSync(process.execPath, [join(root, "build/bundle.mjs")], { stdio: "inherit" });
}

function installAgentClis(): void {
  try {
    ensureAgentClis();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  }
}
