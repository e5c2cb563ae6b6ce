import { execFileSync, spawnSync } from "node:child_process";

/**
 * A program that tests need beyond npm packages: what is on the PATH, else from apt when we are root, else an end with
 * the command that helps. Never a silent skip.
 */
export function ensureProgram(name: string, aptPackage: string): void {
  if (isThere(name) || installProgram(name, aptPackage)) return;
  throw new Error(`The tests need ${name}. Install it first: sudo apt-get install ${aptPackage}`);
}

/** For a whole project: files run side by side, and apt does not. Those that can't do without it fail, each by itself. */
export function provideProgram(name: string, aptPackage: string): void {
  if (installProgram(name, aptPackage)) return;
  process.stderr.write(`Some of these tests need ${name}: sudo apt-get install ${aptPackage}\n`);
}

/** Whether it is there now. Without the right to install anything, nothing happens. */
export function installProgram(name: string, aptPackage: string): boolean {
  if (isThere(name)) return true;
  if (process.getuid?.() !== 0 || !isThere("apt-get")) return false;
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  spawnSync("apt-get", ["update", "-qq"], { stdio: "ignore", env });
  spawnSync("apt-get", ["install", "-y", "-qq", aptPackage], { stdio: "ignore", env });
  return isThere(name);
}

export function isThere(name: string): boolean {
  try {
    execFileSync("/bin/sh", ["-c", 'command -v "$1"', "sh", name], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
