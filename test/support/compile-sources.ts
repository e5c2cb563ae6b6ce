import { mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { build } from "esbuild";

const REPOSITORY = resolve(import.meta.dirname, "../..");

/**
 * JavaScript of some folders or files of the sources, each file at its place below `root`, for child processes: Node 20 runs no
 * TypeScript, and what the build makes of the sources has no modules to import.
 */
export async function compileSources(
  places: readonly string[],
): Promise<{ root: string; dispose(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "loom-compiled-"));
  const root = join(folder, "dist");
  const dispose = (): Promise<void> => rm(folder, { recursive: true });
  await symlink(join(REPOSITORY, "node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  try {
    await build({
      absWorkingDir: REPOSITORY,
      entryPoints: (await Promise.all(places.map(filesIn))).flat(),
      outdir: root,
      outbase: ".",
      bundle: true,
      splitting: true,
      packages: "external",
      format: "esm",
      platform: "node",
      target: "node20.18",
      logLevel: "error",
    });
  } catch (error) {
    await dispose();
    throw error;
  }
  return { root, dispose };
}

async function filesIn(place: string): Promise<string[]> {
  const path = join(REPOSITORY, place);
  if (!(await stat(path)).isDirectory()) return [place];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(REPOSITORY, join(entry.parentPath, entry.name)));
}
