import stringWidth from "string-width";
import { repositorySettings } from "../../core/config/repository/repository-settings.ts";
import type { ResolvedSetting } from "../../core/config/settings/resolve-settings.ts";
import { UserError } from "../../core/errors.ts";
import { renderSettings, settingJson } from "../../core/report/commands/settings-report.ts";
import { openRoster } from "../../wiring/load-roster.ts";
import { readHeadConfig } from "../../wiring/settings/head-config.ts";
import { type Settled, settingsOfApp, settleSettings } from "../../wiring/settings/settings-sources.ts";
import { explain, type Io, say } from "../io.ts";
import { wantsColor } from "../output/wants-color.ts";

/** `loom settings`: every value, and where it comes from. What the files say that does not count is told behind it. */
export async function settings(io: Io, options: { json: boolean }): Promise<number> {
  const settled = io.settled ?? (await settleSettings(io.env, io.cwd));
  const rows = withApp(await withRepository(io, settled), await settingsOfApp(settled, io.cwd));
  if (options.json) for (const one of rows) say(io, JSON.stringify(settingJson(one)));
  else {
    const width = io.stdout.columns || null;
    const color = wantsColor(io.stdout, io.env);
    io.stdout.write(renderSettings(rows, settled.files, { width, color, measure: stringWidth }));
  }
  for (const text of settled.warnings) explain(io, text, null);
  return 0;
}

/** Which agents there are is known from their files; where those can't be read, `loom doctor` tells. */
async function withRepository(io: Io, { env, settings }: Settled): Promise<readonly ResolvedSetting[]> {
  try {
    const { roster, warnings } = openRoster(env);
    const { config } = await readHeadConfig(io.cwd, roster);
    const disabled = config?.disabledAgents ?? [];
    const known = settings.flatMap((one) => {
      if (one.name !== "LOOM_DISABLED_AGENTS") return [one];
      const named = [...roster.disabled.keys()].join(",");
      return [
        one.source === "default" ? one : { ...one, value: named, problem: warnings.join(" ") || null },
        ...(disabled.length === 0 ? [] : [inRepository("agents.disabled", one, disabled.join(","))]),
      ];
    });
    // One that can't be read lets nothing start, and says so there.
    return config ? [...known, ...repositorySettings(config)] : known;
  } catch (error) {
    if (error instanceof UserError) return settings;
    throw error;
  }
}

/** What `.github/loom.yml` says besides a variable. */
function inRepository(name: string, { about, group }: ResolvedSetting, value: string): ResolvedSetting {
  return { name, about, group, default: null, source: "repository", value, problem: null };
}

function withApp(
  settings: readonly ResolvedSetting[],
  ofApp: readonly ResolvedSetting[],
): readonly ResolvedSetting[] {
  const known = new Map(ofApp.map((one) => [one.name, one]));
  return settings.map((one) => known.get(one.name) ?? one);
}
