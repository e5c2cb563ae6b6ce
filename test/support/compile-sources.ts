import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const REPOSITORY = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

/** JavaScript of some folders of the sources, for child processes: Node 20 runs no TypeScript. */
export async function compileSources(
  folders: readonly string[],
): Promise<{ root: string; dispose(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "loom-compiled-"));
  const settings = {
    extends: join(REPOSITORY, "tsconfig.json"),
    compilerOptions: { noEmit: false, outDir: join(folder, "out"), rootDir: REPOSITORY },
    include: folders.map((one) => join(REPOSITORY, one)),
  };
  const dispose = (): Promise<void> => rm(folder, { recursive: true });
  await symlink(join(REPOSITORY, "node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(settings));
  try {
    await run(process.execPath, [join(REPOSITORY, "node_modules/typescript/bin/tsc"), "-p", folder]);
  } catch (error) {
    await dispose();
    throw error;
  }
  return { root: join(folder, "out"), dispose };
}
