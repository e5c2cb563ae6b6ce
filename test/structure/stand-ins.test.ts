import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { ensureProgram } from "../setup/ensure-program.ts";

const STAND_INS = resolve(import.meta.dirname, "../setup/stand-ins");

it("has a setsid for macOS that begins a session and keeps the process id", () => {
  ensureProgram("perl", "perl");
  const setsid = join(STAND_INS, "setsid");
  // Only who leads a group can be signalled by its negative number.
  const script = `"$1" sh -c 'kill -0 -$$ && echo leads $$; exit 3' & echo started $!; wait $!; echo ended $?`;
  const told = execFileSync("/bin/sh", ["-c", script, "sh", setsid], { encoding: "utf8" });
  const [, started] = /^started (\d+)$/m.exec(told) ?? [];
  expect(told).toContain(`leads ${started}\n`);
  expect(told).toContain("ended 3\n");
});
