import { codebaseMapJson, renderCodebaseMap } from "../../core/codebase/render-codebase-map.ts";
import { UserError } from "../../core/errors.ts";
import { localTaskTexts } from "../../core/report/commands/local-task-texts.ts";
import { mapRepository } from "../../engine/attempt/map-repository.ts";
import { openLocal } from "../../wiring/local.ts";
import { type Io, say } from "../io.ts";

/** `loom map`: what the files of the current commit tell about this codebase, as planners see it. */
export async function map(io: Io, options: { json: boolean }): Promise<number> {
  const local = await openLocal({ cwd: io.cwd, env: io.env, feed: () => {}, runsAgents: false });
  try {
    const commit = local.repository.headSha;
    if (commit === null) {
      throw new UserError(localTaskTexts.noCommit(), { next: localTaskTexts.noCommitNext() });
    }
    const found = await mapRepository(local.workspace("map"), commit);
    if (options.json) say(io, JSON.stringify(codebaseMapJson(found)));
    else io.stdout.write(renderCodebaseMap(found));
    return 0;
  } finally {
    await local.close();
  }
}
