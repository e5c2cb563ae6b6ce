import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import { findOnPath } from "./find-on-path.ts";

/**
 * Sees which paths a CLI looks at, whether they are there or not, by tracing bubblewrap with all that runs in it. It is
 * traced from outside: a program in the sandbox could trace nobody.
 */
export type Tracer = {
  /** Before all others on the PATH of whoever starts the sandbox. */
  readonly path: string;
  /** Every path at or below the folder that was looked at, from there; "." is the folder. */
  pathsBelow(folder: string): ReadonlySet<string>;
};

export function createTracer(root: string): Tracer {
  const folder = join(root, "tracer");
  const log = join(root, "traced");
  mkdirSync(folder);
  const program = join(folder, "bwrap");
  const strace = `'${findOnPath("strace")}' -f -qq -y -s 4096 -A -o '${log}' -e trace=%file -e signal=none --seccomp-bpf`;
  writeFileSync(program, `#!/bin/sh\nexec ${strace} '${findOnPath("bwrap")}' "$@"\n`);
  chmodSync(program, 0o755);
  return {
    path: [folder, process.env.PATH].join(delimiter),
    pathsBelow(below) {
      const text = existsSync(log) ? readFileSync(log, "latin1") : "";
      const found = new Set<string>();
      for (const line of text.split("\n"))
        for (const path of pathsIn(line)) {
          if (path === below) found.add(".");
          else if (path.startsWith(`${below}/`)) found.add(relative(below, path));
        }
      return found;
    },
  };
}

/** Absolute ones, and those that are relative to a descriptor, of which `-y` says where it leads. */
function pathsIn(line: string): string[] {
  const found: string[] = [];
  for (const [, at, path = ""] of line.matchAll(/(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"/g)) {
    if (path.startsWith("/")) found.push(path);
    else if (at !== undefined) found.push(path === "" ? at : join(at, path));
  }
  return found;
}
