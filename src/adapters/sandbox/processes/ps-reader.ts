import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { hostPrograms } from "../../os/host-programs.ts";
import { MARKER_VARIABLE, OWNER_VARIABLE, type ProcessEntry, type ProcessReader } from "./process-entry.ts";

const run = promisify(execFile);

/**
 * Processes as `ps` tells them, for systems without /proc (macOS). Both dialects print the environment behind the
 * command, delimited by blanks; that is enough to find values that hold none. Times have a resolution of a second.
 */
export function createPsReader(): ProcessReader {
  const columns = "pid=,ppid=,pgid=,stat=,lstart=,command=";
  const args = process.platform === "linux" ? ["axeww", "-o", columns] : ["-axwwE", "-o", columns];
  return {
    sweepMs: 2000,
    startOf: () => null,
    async read() {
      const { stdout } = await run(hostPrograms().tool("ps") ?? "/bin/ps", args, {
        env: { LC_ALL: "C", TZ: "UTC" },
        maxBuffer: 256 * 1024 * 1024,
        encoding: "latin1",
      });
      return readPsOutput(stdout);
    },
  };
}

export function readPsOutput(text: string): ProcessEntry[] {
  return text.split("\n").flatMap(readLine);
}

const LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\w+ +\w+ +\d+ +[\d:]+ +\d+)\s(.*)$/;

function readLine(line: string): ProcessEntry[] {
  const [, pid, parent, group, state, started, rest = ""] = LINE.exec(line) ?? [];
  if (!pid || state?.startsWith("Z")) return [];
  return [
    {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: Number(group),
      started: Date.parse(`${started} UTC`),
      marker: readVariable(rest, MARKER_VARIABLE),
      owner: readVariable(rest, OWNER_VARIABLE),
      unsettled: false,
    },
  ];
}

function readVariable(text: string, name: string): string | null {
  return new RegExp(`(?:^|\\s)${name}=(\\S*)`).exec(text)?.[1] ?? null;
}
