import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { replaceFile } from "../../adapters/os/replace-file.ts";

/**
 * Sets variables in a .env file and leaves the other lines as they are. It holds the App's key, so that only its owner
 * may read it; and it is replaced in one step, because GitHub shows the key once.
 */
export async function writeEnvFile(path: string, values: Readonly<Record<string, string>>): Promise<void> {
  const before = (await readIfThere(path)).trimEnd();
  // A value may span lines, so what was there before is overruled rather than cut out: the last one counts.
  const lines = Object.entries(values).map(([name, value]) => `${name}=${quote(value)}`);
  await mkdir(dirname(path), { recursive: true });
  const text = `${[...(before === "" ? [] : [before]), ...lines].join("\n")}\n`;
  await replaceFile(path, text, { durable: true });
}

/** In double quotes \n is a line break, here as in Docker's env files. */
function quote(value: string): string {
  return /^[\w.:/-]+$/.test(value) ? value : `"${value.replaceAll("\n", "\\n")}"`;
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
