import { execFileSync } from "node:child_process";
import { type Browser, chromium } from "playwright-core";
import { BROWSERS } from "../setup/browsers.ts";
import { ensureProgram, isThere } from "../setup/ensure-program.ts";

/** The system's own: the tests download no browser. */
export async function openBrowser(): Promise<Browser> {
  const name = BROWSERS.find(isThere) ?? "chromium";
  ensureProgram(name, "chromium");
  const find = ["-c", 'command -v "$1"', "sh", name];
  const executablePath = execFileSync("/bin/sh", find, { encoding: "utf8" }).trim();
  return await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
}
