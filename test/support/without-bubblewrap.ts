import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A PATH where bubblewrap is found and does not work, as on a machine whose kernel forbids user namespaces. */
export function withoutBubblewrap(): string {
  const folder = mkdtempSync(join(tmpdir(), "loom-no-bwrap-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const script = '#!/bin/sh\necho "bwrap: No permissions to create a new namespace" >&2\nexit 1\n';
  writeFileSync(join(folder, "bwrap"), script, { mode: 0o755 });
  return `${folder}:${process.env.PATH}`;
}
