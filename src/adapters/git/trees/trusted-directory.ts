import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { devNull } from "node:os";
import { join } from "node:path";
import type { Repository } from "../../../ports/git.ts";
import { isRealFolder } from "../../os/is-folder.ts";
import { replaceFileSync } from "../../os/replace-file.ts";

/**
 * A git directory of Loom's own with nothing in it but a head that points nowhere, settings and ignore rules. Trees,
 * indexes, commits and merges are made here, so that no filter, driver, hook or include that an agent planted in the
 * person's git directory is ever looked at (T11). Objects go straight into the person's object store.
 *
 * An agent without a sandbox could write here as well. So what stands here is compared with what has to stand here
 * before each use, which costs some 50 µs; whatever else turned up is removed.
 */
export type TrustedDirectory = {
  readonly path: string;
  prove(): void;
};

const ROUNDS = 5;
const ENTRIES = ["HEAD", "config", "info", "refs"];

export function createTrustedDirectory(repository: Repository): TrustedDirectory {
  const settings = settingsOf(repository);
  // Read once: later edits of these lists can come from an agent.
  const ignored = repository.ignoreFiles.map(readOrEmpty).join("\n");
  // Named after its content, so that two processes that read different rules don't overwrite each other's.
  const name = createHash("sha256").update(`${settings}\0${ignored}`).digest("hex").slice(0, 12);
  const path = join(repository.commonDir, "loom", "git", name);
  const files: readonly (readonly [string, string])[] = [
    [join(path, "HEAD"), "ref: refs/heads/nowhere\n"],
    [join(path, "config"), settings],
    [join(path, "info", "exclude"), ignored],
  ];

  return {
    path,
    prove() {
      for (let round = 1; !isAsExpected(path, files); round += 1) {
        try {
          rebuild(path, files);
          return;
        } catch (error) {
          // Two processes that rebuild at once take each other's unfinished files for strangers.
          if (round === ROUNDS) throw error;
        }
      }
    },
  };
}

function isAsExpected(path: string, files: readonly (readonly [string, string])[]): boolean {
  try {
    return (
      lstatSync(path).isDirectory() &&
      readdirSync(path).sort().join("/") === ENTRIES.join("/") &&
      readdirSync(join(path, "info")).join("/") === "exclude" &&
      readdirSync(join(path, "refs")).length === 0 &&
      files.every(([file, text]) => lstatSync(file).isFile() && readFileSync(file, "utf8") === text)
    );
  } catch {
    return false;
  }
}

/** Puts right what is wrong and leaves the rest alone: another Loom process may be using it at this moment. */
function rebuild(path: string, files: readonly (readonly [string, string])[]): void {
  for (const folder of [path, join(path, "info"), join(path, "refs")]) {
    if (!isRealFolder(folder)) rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  for (const [file, text] of files) {
    if (isRealFolder(file)) rmSync(file, { recursive: true, force: true });
    replaceFileSync(file, text);
  }
  const strangers = [
    ...readdirSync(path).filter((name) => !ENTRIES.includes(name)),
    ...readdirSync(join(path, "info"))
      .filter((name) => name !== "exclude")
      .map((name) => join("info", name)),
    ...readdirSync(join(path, "refs")).map((name) => join("refs", name)),
  ];
  for (const name of strangers) rmSync(join(path, name), { recursive: true, force: true });
}

function settingsOf(repository: Repository): string {
  const lines = [
    "[core]",
    `\trepositoryformatversion = ${repository.objectFormat === "sha1" ? 0 : 1}`,
    "\tbare = true",
    "\tlogallrefupdates = false",
    `\thooksPath = ${devNull}`,
    "\tfsmonitor = false",
    `\tattributesFile = ${devNull}`,
    `\texcludesFile = ${devNull}`,
    ...Object.entries(repository.fileSettings).map(([key, value]) => `\t${key} = ${value}`),
  ];
  lines.push("[gc]", "\tauto = 0");
  // A renamed folder would carry files that an agent added to a place they were never checked for.
  lines.push("[merge]", "\tdirectoryRenames = false");
  if (repository.objectFormat !== "sha1")
    lines.push("[extensions]", `\tobjectformat = ${repository.objectFormat}`);
  return `${lines.join("\n")}\n`;
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
