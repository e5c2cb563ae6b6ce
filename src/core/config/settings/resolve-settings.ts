import { hideInAddress } from "../../secrets/hide-in-address.ts";
import { createRedactor } from "../../secrets/redact.ts";
import { nearestName } from "../../text/nearest-name.ts";
import type { Environment } from "../harness-settings.ts";
import { SETTINGS, type Setting } from "./setting-table.ts";
import { settingTexts } from "./setting-texts.ts";
import { usedValues } from "./used-values.ts";

/** Where values come from, the strongest first: the process, the repository's `.env`, the user's own `.env`. */
export type SettingSources = {
  readonly exported: Environment;
  readonly workspace: Environment;
  readonly user: Environment;
};

const SOURCES = ["exported", "workspace", "user"] as const;
/** `app`: the file with the App's own key. `repository`: its `.github/loom.yml`. */
export type SettingSource = (typeof SOURCES)[number] | "app" | "repository" | "default";

export type ResolvedSetting = Pick<Setting, "name" | "about" | "group" | "default"> & {
  readonly source: SettingSource;
  /** What is used, as it may be shown: a secret is `set`. null: there is none. */
  readonly value: string | null;
  /** What is wrong with what was written, and what becomes of it. */
  readonly problem: string | null;
};

export type ResolvedSettings = {
  /** The process's environment, completed by what the files may add. */
  readonly env: Environment;
  readonly settings: readonly ResolvedSetting[];
  /** What the files say that does not count, by name and never by value. */
  readonly warnings: readonly string[];
};

const BY_NAME = new Map(SETTINGS.map((setting) => [setting.name, setting]));

/** Looks at nothing in the files but Loom's own settings and the keys of models. */
export function resolveSettings(sources: SettingSources): ResolvedSettings {
  const counting = {
    exported: withoutEmpty(sources.exported),
    workspace: pick(sources.workspace, (setting, value) => mayWorkspaceSet(setting, value)),
    user: pick(sources.user, ({ weakest }) => weakest !== "exported"),
  };
  const origins = new Map(SETTINGS.map((setting) => [setting.name, originOf(setting, counting)]));
  const added = [...origins].flatMap(([name, origin]) =>
    origin === "default" || origin === "exported" ? [] : [[name, counting[origin][name]] as const],
  );
  const env = { ...counting.exported, ...Object.fromEntries(added) };
  const used = usedValues(env);
  const redact = createRedactor(env);
  return {
    env,
    settings: SETTINGS.map((setting) => {
      // Where the other name of the same thing is set, that is what counts for both.
      const name = origins.get(setting.name) === "default" ? (setting.twin ?? setting.name) : setting.name;
      const origin = origins.get(name) ?? "default";
      const read = used.get(name);
      const text = read === undefined ? env[name]?.trim() : read.text;
      const isUsed = origin !== "default" && text != null;
      const problem = read?.problem ?? null;
      return {
        name: setting.name,
        about: setting.about,
        group: setting.group,
        default: setting.default,
        source: isUsed ? origin : "default",
        value: isUsed ? shownValue(setting, text, redact) : setting.default,
        problem: problem === null ? null : redact(settingTexts.writtenIn(origin, problem)),
      };
    }),
    warnings: [...warningsAboutWorkspace(sources.workspace), ...warningsAboutUser(sources.user)],
  };
}

/**
 * The settings of a service that is started with this file of its own. Whatever it says counts there as if it were
 * exported, and services read nothing of a repository's.
 */
export function resolveForApp(
  { exported, user }: Pick<SettingSources, "exported" | "user">,
  file: Environment,
): ResolvedSetting[] {
  const given = Object.fromEntries(Object.entries(withoutEmpty(exported)).filter(([, value]) => value));
  const { settings } = resolveSettings({ exported: { ...file, ...given }, workspace: {}, user });
  return settings.flatMap((one): ResolvedSetting[] => {
    if (one.group !== "service") return [];
    const isOfFile = one.source === "exported" && valueIn(given, one.name) === undefined;
    return [isOfFile ? { ...one, source: "app" } : one];
  });
}

/** Compose and shells hand on what is not set as an empty text. */
function withoutEmpty(env: Environment): Environment {
  const empty = SETTINGS.filter(({ name, takesNothing }) => !takesNothing && isEmpty(valueIn(env, name)));
  const names = new Set(empty.map(({ name }) => name));
  return names.size === 0
    ? env
    : Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name)));
}

function isEmpty(value: string | undefined): boolean {
  return value !== undefined && value.trim() === "";
}

function mayWorkspaceSet({ weakest, workspaceTakes }: Setting, value: string): boolean {
  return weakest === "workspace" && (workspaceTakes?.(value) ?? true);
}

function pick(
  file: Environment,
  counts: (setting: Setting, value: string) => boolean,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    SETTINGS.flatMap((setting) => {
      const value = valueIn(file, setting.name);
      const isSet = value !== undefined && (setting.takesNothing || !isEmpty(value));
      return isSet && counts(setting, value) ? [[setting.name, value]] : [];
    }),
  );
}

/** `Object.prototype` knows names too. */
function valueIn(env: Environment, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

/** A stronger source that uses the other name of the same thing wins as well. */
function originOf({ name, twin }: Setting, counting: SettingSources): (typeof SOURCES)[number] | "default" {
  for (const source of SOURCES) {
    if (valueIn(counting[source], name) !== undefined) return source;
    if (twin !== undefined && valueIn(counting[source], twin) !== undefined) return "default";
  }
  return "default";
}

function shownValue({ kind }: Setting, text: string, redact: (text: string) => string): string {
  if (kind === "secret") return "set";
  return redact(kind === "address" ? hideInAddress(text) : text);
}

function warningsAboutWorkspace(file: Environment): string[] {
  const set = SETTINGS.flatMap((setting) => {
    const value = valueIn(file, setting.name);
    return value === undefined ? [] : [{ setting, value }];
  });
  // PORT and its like are commonly the repository's own affair.
  const refused = set.filter(
    ({ setting: { name, group, weakest } }) =>
      weakest !== "workspace" && (group !== "service" || name.startsWith("LOOM_")),
  );
  const misused = set.filter(
    ({ setting, value }) => setting.weakest === "workspace" && !mayWorkspaceSet(setting, value),
  );
  return [
    ...(refused.length === 0
      ? []
      : [settingTexts.notForWorkspace(refused.map(({ setting }) => setting.name))]),
    ...misused.map(({ setting }) => settingTexts.notThisValue(setting.name)),
    ...unknownNames("workspace", file),
  ];
}

function warningsAboutUser(file: Environment): string[] {
  const names = SETTINGS.filter(
    ({ name, weakest }) => weakest === "exported" && valueIn(file, name) !== undefined,
  );
  return [
    ...(names.length === 0 ? [] : [settingTexts.onlyExported(names.map(({ name }) => name))]),
    ...unknownNames("user", file),
  ];
}

const MOST_UNKNOWN = 5;

/** Most likely misspelled: a setting that nobody reads would be taken for one that works. */
function unknownNames(whose: "workspace" | "user", file: Environment): string[] {
  const unknown = Object.keys(file).filter((name) => name.startsWith("LOOM_") && !BY_NAME.has(name));
  const told = unknown
    .slice(0, MOST_UNKNOWN)
    .map((name) =>
      settingTexts.unknown(whose, name, name.length > 60 ? null : nearestName(name, BY_NAME.keys())),
    );
  const rest = unknown.length - told.length;
  return rest > 0 ? [...told, settingTexts.moreUnknown(rest)] : told;
}
