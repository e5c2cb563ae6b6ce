import stringWidth from "string-width";
import type { Played } from "../../core/drill/attack.ts";
import {
  type DrillScreen,
  drillJson,
  renderAttack,
  renderDrillEnd,
} from "../../core/report/commands/drill-report.ts";
import { drillTexts } from "../../core/report/commands/drill-texts.ts";
import { plainText } from "../../core/text/escape-text.ts";
import { Interrupted } from "../../engine/attempt/interrupted.ts";
import { playDrill } from "../../engine/drill/play-drill.ts";
import { openDrill } from "../../wiring/drill.ts";
import { explain, type Io, say } from "../io.ts";
import { INTERRUPTED, listenForStop } from "../listen-for-stop.ts";
import { wantsColor } from "../output/wants-color.ts";

/** `loom drill`: plays the attacks of an obedient agent against this installation. It works in no repository but its own. */
export async function drill(io: Io, options: { json: boolean }): Promise<number> {
  const { stdout } = io;
  const screen: DrillScreen = {
    width: stdout.isTTY && stdout.columns ? stdout.columns : null,
    color: wantsColor(stdout, io.env),
    measure: stringWidth,
  };
  const stop = listenForStop({ first: () => {}, second: () => {} });
  try {
    const { world, warnings, close } = await openDrill({
      cwd: io.cwd,
      env: io.env,
      signal: stop.signal,
      onPlayed(attack, outcome) {
        if (!options.json) say(io, renderAttack({ attack, outcome }, screen));
      },
    });
    let all: Played[];
    const { kind, report } = world.sandboxes;
    try {
      // A value that is passed over may be the one that was meant to close a hole.
      for (const text of warnings) explain(io, text, null);
      if (!options.json) say(io, `${plainText(drillTexts.begin(report.detail))}\n`);
      all = await playDrill(world);
    } finally {
      await close();
    }
    if (options.json) say(io, JSON.stringify(drillJson(all, { kind, ...report })));
    else stdout.write(`\n${renderDrillEnd(all, report, screen)}`);
    return all.some(({ outcome }) => outcome.kind === "open") ? 1 : 0;
  } catch (error) {
    // Whatever breaks once somebody has stopped it, breaks for that reason.
    if (!stop.signal.aborted && !(error instanceof Interrupted)) throw error;
    explain(io, drillTexts.interrupted(), null);
    return INTERRUPTED;
  } finally {
    stop.close();
  }
}
