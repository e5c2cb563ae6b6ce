import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const REPOSITORY = resolve(import.meta.dirname, "../../..");
const run = promisify(execFile);

/** Compiles the embedded adapters to JavaScript that child processes can import, since Node 20 runs no TypeScript. */
export async function buildForChildren(): Promise<{ folder: string; dispose(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "loom-built-"));
  const settings = {
    extends: join(REPOSITORY, "tsconfig.json"),
    compilerOptions: { noEmit: false, outDir: join(folder, "out"), rootDir: REPOSITORY },
    include: [join(REPOSITORY, "src/adapters/embedded")],
  };
  await symlink(join(REPOSITORY, "node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(settings));
  await run(process.execPath, [join(REPOSITORY, "node_modules/typescript/bin/tsc"), "-p", folder]);
  return {
    folder: join(folder, "out/src/adapters/embedded"),
    dispose: () => rm(folder, { recursive: true }),
  };
}
