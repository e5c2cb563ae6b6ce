import { execFileSync } from "node:child_process";

export function findOnPath(name: string): string {
  return execFileSync("/bin/sh", ["-c", 'command -v "$1"', "sh", name], { encoding: "utf8" }).trim();
}
