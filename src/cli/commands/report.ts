import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { messageOf, UserError } from "../../core/errors.ts";
import { renderRunPage } from "../../core/report/page/render-run-page.ts";
import { startTexts } from "../../core/report/texts/start-texts.ts";
import { openLocal } from "../../wiring/local.ts";
import { pickRun } from "../input/pick-run.ts";
import { type Io, say } from "../io.ts";
import { formatLocalMoment } from "../output/local-moment.ts";

/** `loom report RUN`: the run as one HTML page, to read, to keep or to send to somebody. */
export async function report(
  io: Io,
  name: string | undefined,
  options: { out: string | null },
): Promise<number> {
  const local = await openLocal({ cwd: io.cwd, env: io.env, feed: () => {}, runsAgents: false });
  try {
    const run = await pickRun(local.engine, name);
    const { events } = await local.engine.store.load(run.id);
    const file = resolve(io.cwd, options.out ?? `loom-${run.id}.html`);
    const page = renderRunPage(run, events, { formatTime: formatLocalMoment });
    await writeFile(file, page).catch((cause: unknown) => {
      throw new UserError(`The report can't be written: ${messageOf(cause)}.`, {
        next: "Name a file in a folder that exists: `--out FILE`.",
        cause,
      });
    });
    say(io, `The report of ${run.id} is in ${file}.`);
    const swept = await local.engine.files.sweptAt(run.id);
    if (swept !== null) say(io, startTexts.logsSwept(swept));
    return 0;
  } finally {
    await local.close();
  }
}
