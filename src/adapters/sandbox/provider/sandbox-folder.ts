import { randomBytes } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../../core/errors.ts";
import { controlFolderStart, noteOwner } from "./leftovers.ts";
import { removeFolder } from "./remove-folder.ts";

/** Where the files of one sandbox are, outside of every work tree. */
export type SandboxFolder = {
  readonly home: string;
  readonly tmp: string;
  /** Read-only for programs: the gateway's socket, the relay, generated files. */
  readonly control: string;
  readonly socket: string;
  /** Not visible inside. */
  readonly own: string;
  remove(): Promise<void>;
};

// The system takes 107 bytes for the path of a socket, some take 103.
const LONGEST_SOCKET_PATH = 99;

/** `onRemove` takes away what else was made for the sandbox. */
export function makeSandboxFolder(
  folder: string,
  home: string | null,
  onRemove: () => Promise<void> | void,
): SandboxFolder {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(realpathSync(folder), `r${randomBytes(6).toString("hex")}`);
  mkdirSync(path, { mode: 0o700 });
  const inside = (name: string): string => {
    const child = join(path, name);
    mkdirSync(child, { mode: 0o700 });
    return child;
  };
  const isLong = Buffer.byteLength(join(path, "c", "s")) > LONGEST_SOCKET_PATH;
  const elsewhere = isLong ? mkdtempSync(controlFolderStart()) : null;
  const made = elsewhere === null ? [path] : [path, elsewhere];
  try {
    noteOwner(path, elsewhere);
    const control = elsewhere ?? inside("c");
    return {
      home: home === null ? inside("home") : keptHome(home),
      tmp: inside("tmp"),
      control,
      socket: join(control, "s"),
      own: path,
      async remove() {
        await onRemove();
        for (const one of made) await removeFolder(one);
      },
    };
  } catch (error) {
    for (const one of made) rmSync(one, { recursive: true, force: true });
    throw error;
  }
}

function keptHome(home: string): string {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  if (lstatSync(home).isDirectory()) {
    // A program may have taken away its own rights to it, and the next one needs them.
    chmodSync(home, 0o700);
    return home;
  }
  throw new UserError(`The home of a sandbox, ${home}, is a link.`, {
    next: "Remove it; Loom makes the folder.",
  });
}
