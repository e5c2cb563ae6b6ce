import { writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox, SandboxSpec } from "../../../../ports/sandbox.ts";
import { cleanEnvironment } from "../clean-environment.ts";
import { settleMemory } from "../limits/group-memory.ts";
import type { LimitWatcher } from "../limits/limit-watcher.ts";
import type { ProviderOptions } from "../provider-options.ts";
import { openRelayedSandbox } from "../relay/relayed-sandbox.ts";
import { makeSandboxFolder, type SandboxFolder } from "../sandbox-folder.ts";
import { bubblewrapArguments } from "./bubblewrap-arguments.ts";
import type { Mount } from "./mounts.ts";
import { findProcParts, procMounts } from "./proc-mounts.ts";
import { makeSandboxMounts } from "./sandbox-mounts.ts";
import { findShownPrograms } from "./shown-programs.ts";
import { systemMounts } from "./system-mounts.ts";
import type { Bubblewrap } from "./try-bubblewrap.ts";

const SCRATCH_BYTES = 512 * 1024 * 1024;

/**
 * Sandboxes by bubblewrap: every program gets namespaces of its own and sees nothing that is not mounted for it.
 *
 * bubblewrap itself starts with the sandbox's clean environment, since its own is readable inside as that of process 1.
 * It dies of the first SIGTERM and takes everything along at once; so what starts it has the signal ignored, which lasts
 * until the relay sets signals back to what they are by default.
 *
 * Of two programs that run in one sandbox at the same time the first could exchange a folder for a link in the moment
 * between Loom's look and bubblewrap's mount, and see through the second one. Loom runs one at a time.
 */
export function createBubblewrapOpener(
  options: ProviderOptions,
  bubblewrap: Bubblewrap,
  watcher: LimitWatcher,
): (sandboxSpec: SandboxSpec) => Promise<Sandbox> {
  const { supervisor, env, folder, cwd, patterns } = options;
  const { starter } = bubblewrap;
  const programs = findShownPrograms(env, { folder, cwd });
  const procParts = findProcParts();

  return async (sandboxSpec) => {
    const files = makeSandboxFolder(folder, sandboxSpec.home, async () => group?.remove());
    const group = options.group?.(sandboxSpec.limits) ?? null;
    const memory = group?.memory ?? null;
    try {
      const mounts = await makeSandboxMounts(sandboxSpec, files, programs.paths, patterns);
      const system = [...systemMounts([folder, cwd, sandboxSpec.tree]), ...accountMounts(files, bubblewrap)];
      const empty = join(files.control, "empty");
      writeFileSync(empty, "", { mode: 0o444 });
      const proc = procMounts(procParts, empty);
      const filter = placeFilter(files, bubblewrap);
      const clean = cleanEnvironment({ env, programs, home: files.home, tmp: files.tmp, hasRelay: true });
      return await openRelayedSandbox({
        supervisor,
        watcher,
        sandboxSpec,
        files,
        env: clean,
        node: process.execPath,
        relay: starter.relay(files.control, process.execPath, bubblewrap.isApart),
        memory,
        enclose(program, spec, token) {
          const words = bubblewrapArguments({
            features: bubblewrap.features,
            user: bubblewrap.user,
            system,
            proc,
            mounts: mounts.current(),
            scratchBytes: SCRATCH_BYTES,
            cwd: spec.cwd,
          });
          const file = join(files.own, token);
          writeFileSync(file, words.map((word) => `${word}\0`).join(""), { mode: 0o600 });
          const { program: bwrap, shelter } = bubblewrap;
          const entry = { program: bwrap, shelter, words: file, filter, limits: sandboxSpec.limits, group };
          return {
            argv: starter.enter(entry, program),
            env: spec.env,
            async after() {
              await rm(file, { force: true });
              if (memory) await settleMemory(memory, sandboxSpec.limits.memoryBytes);
            },
          };
        },
      });
    } catch (error) {
      await files.remove();
      throw error;
    }
  };
}

function placeFilter(files: SandboxFolder, { filter }: Bubblewrap): string | null {
  if (filter === null) return null;
  const path = join(files.own, "filter");
  writeFileSync(path, filter, { mode: 0o600 });
  return path;
}

/** Who the programs are, and that there is no machine but this one. */
function accountMounts(files: SandboxFolder, { user }: Bubblewrap): Mount[] {
  const uid = user?.uid ?? process.getuid?.() ?? 1000;
  const gid = user?.gid ?? process.getgid?.() ?? 1000;
  const texts = {
    passwd: `root:x:0:0:root:/nonexistent:/usr/sbin/nologin\nloom:x:${uid}:${gid}:loom:${files.home}:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n`,
    group: `root:x:0:\nloom:x:${gid}:\nnogroup:x:65534:\n`,
    hosts: "127.0.0.1 localhost loom\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
  };
  return Object.entries(texts).map(([name, text]) => {
    const from = join(files.control, name);
    writeFileSync(from, text, { mode: 0o444 });
    return { kind: "read", from, at: `/etc/${name}` };
  });
}
