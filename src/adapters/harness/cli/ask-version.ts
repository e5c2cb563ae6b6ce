import { randomUUID } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UserError } from "../../../core/errors.ts";
import type { Sandbox, SandboxProvider } from "../../../ports/sandbox.ts";
import { bareSandboxSpec } from "../bare-sandbox-spec.ts";

const PATIENCE_MS = 20_000;
const VERSION = /(?<!\d)\d+\.\d+(?:\.\d+)?(?:[-+.\w]*)?/;

const known = new WeakMap<SandboxProvider, Map<string, Promise<string>>>();

/**
 * Proves that a CLI can be started where agents will be, and tells which version it is. Asked once for each file: a
 * service is asked before each run, and some CLIs take seconds to say it.
 */
export async function askVersion(
  sandboxes: SandboxProvider,
  bin: string,
  installation: string,
): Promise<string> {
  const versions = known.get(sandboxes) ?? new Map<string, Promise<string>>();
  known.set(sandboxes, versions);
  const key = `${bin} ${(await stat(bin)).mtimeMs}`;
  const asked = versions.get(key) ?? askInSandbox(sandboxes, bin, installation);
  versions.set(key, asked);
  asked.catch(() => versions.delete(key));
  return asked;
}

async function askInSandbox(sandboxes: SandboxProvider, bin: string, installation: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "loom-version-"));
  try {
    const sandboxSpec = bareSandboxSpec(`version-${randomUUID()}`, folder);
    const sandbox = await sandboxes.open({ ...sandboxSpec, shows: [installation] });
    try {
      return await ask(sandbox, bin, folder);
    } finally {
      await sandbox.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function ask(sandbox: Sandbox, bin: string, cwd: string): Promise<string> {
  const process = sandbox.spawn({ argv: [bin, "--version"], cwd, env: {}, stdin: "" });
  const timer = setTimeout(() => void process.stop(0).catch(() => {}), PATIENCE_MS);
  try {
    let said = "";
    for await (const { data } of process.output) said = (said + data.toString("utf8")).slice(0, 4_000);
    const exit = await process.exit;
    const version = VERSION.exec(said)?.[0];
    if (exit.kind === "exited" && exit.code === 0 && version) return version;
    throw new UserError(`${bin} does not tell its version.`, {
      next: `Run it by hand to see why: ${bin} --version`,
    });
  } finally {
    clearTimeout(timer);
  }
}
