import type { Sha } from "../../core/ids.ts";

/** One path that differs between two trees. Renames are not looked for: each is a removal and an addition. */
export type RawChange = {
  readonly path: string;
  /** null: the path is gone. */
  readonly mode: string | null;
  readonly sha: Sha;
  readonly oldMode: string | null;
  readonly oldSha: Sha;
};

/** Reads `--raw -z --no-renames` of the diff commands: `:100644 100644 <old> <new> M`, then the path. */
export function parseRawChanges(output: string): RawChange[] {
  const fields = output.split("\0");
  const changes: RawChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = "", mode = "", oldSha = "", sha = ""] = (fields[at] ?? "").split(" ");
    changes.push({
      path: fields[at + 1] ?? "",
      mode: presentMode(mode),
      sha,
      oldMode: presentMode(oldMode.slice(1)),
      oldSha,
    });
  }
  return changes;
}

function presentMode(mode: string): string | null {
  return mode === "000000" ? null : mode;
}
