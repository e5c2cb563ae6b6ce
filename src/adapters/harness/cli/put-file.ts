import { randomUUID } from "node:crypto";
import { chmod, mkdir, rename } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { isRealFolder } from "../../os/is-folder.ts";
import { replaceFile } from "../../os/replace-file.ts";

/**
 * Writes a file below a home that an agent has lived in. Whatever stands in the way, a link above all, is put aside and not
 * followed: Loom writes with its own rights, and a link would let the agent choose where. It is not removed here, since
 * folders can lie in each other deeper than a path can lead. Nobody is in the sandbox between two sessions, so nothing changes
 * between the look and the write.
 */
export async function putFile(home: string, path: string, text: string): Promise<void> {
  await makeFolder(home, dirname(path));
  if (isRealFolder(path)) await putAside(home, path);
  await replaceFile(path, text);
}

/** A real folder at each step of the way. */
export async function makeFolder(home: string, folder: string): Promise<void> {
  let at = home;
  for (const name of relative(home, folder).split(sep)) {
    if (name === "") continue;
    at = join(at, name);
    if (isRealFolder(at)) {
      // The agent may have taken away its own rights to it.
      await chmod(at, 0o700);
      continue;
    }
    await putAside(home, at);
    await mkdir(at, { mode: 0o700 });
  }
}

/** It goes with the home. */
async function putAside(home: string, path: string): Promise<void> {
  await rename(path, join(home, `.aside-${randomUUID()}`)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}
