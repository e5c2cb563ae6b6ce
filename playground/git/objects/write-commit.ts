import { randomUUID } from "node:crypto";
import type { GitPerson } from "../../model/model-git.ts";
import { git } from "../run-git.ts";
import { signature } from "./commit-tree.ts";

/** null removes the file; an object gives it another mode than that of a plain file. */
export type FileContent =
  | string
  | Uint8Array
  | null
  | { readonly mode: "100755" | "120000"; readonly text: string };

export type CommitWork = {
  readonly parent: string | null;
  readonly files: Readonly<Record<string, FileContent>>;
  readonly message: string;
  readonly author: GitPerson;
};

const NOTHING = "0".repeat(40);

/**
 * Writes files on top of a commit without a work tree and without moving a branch, in one process. `fast-import` wants a
 * ref to build on: it gets one of its own and takes it away again before anybody can see it.
 */
export async function writeCommit(
  gitDir: string,
  { parent, files, message, author }: CommitWork,
): Promise<string> {
  const ref = `refs/playground/${randomUUID()}`;
  const stamp = signature(author);
  const input = Buffer.concat([
    Buffer.from(`commit ${ref}\nmark :1\nauthor ${stamp}\ncommitter ${stamp}\n`),
    data(Buffer.from(message.endsWith("\n") ? message : `${message}\n`)),
    Buffer.from(parent === null ? "" : `from ${parent}\n`),
    ...Object.entries(files).flatMap(([path, content]) => fileChange(path, content)),
    Buffer.from(`\nget-mark :1\nreset ${ref}\nfrom ${NOTHING}\n\ndone\n`),
  ]);
  return await git(gitDir, ["fast-import", "--quiet", "--done"], { input });
}

function fileChange(path: string, content: FileContent): Buffer[] {
  const quoted = `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
  if (content === null) return [Buffer.from(`D ${quoted}\n`)];
  if (typeof content === "string")
    return [Buffer.from(`M 100644 inline ${quoted}\n`), data(Buffer.from(content))];
  if (content instanceof Uint8Array) return [Buffer.from(`M 100644 inline ${quoted}\n`), data(content)];
  return [Buffer.from(`M ${content.mode} inline ${quoted}\n`), data(Buffer.from(content.text))];
}

function data(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from("\n")]);
}
