import { readFileSync, readlinkSync } from "node:fs";

/**
 * This start of this machine, and the container in it: elsewhere, the number of a process means something else. Empty where
 * that can't be told.
 */
export function pidScope(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return "";
  }
}
