import type { ResolvedSetting, SettingSource } from "../../config/settings/resolve-settings.ts";
import { SETTING_GROUPS } from "../../config/settings/setting-table.ts";
import { plainText } from "../../text/escape-text.ts";
import { cutText, type Measure } from "../../text/text-width.ts";
import { type Cell, type Column, tableLine, widest } from "../terminal/columns.ts";
import { paint, type Tone } from "../terminal/paint.ts";

export type SettingFiles = { readonly workspace: string | null; readonly user: string };

/** For programs: one of them per line. */
export function settingJson({ name, value, source, default: usual, problem }: ResolvedSetting) {
  return { name, value, source, default: usual, ...(problem === null ? {} : { problem }) };
}

const WORDS: Readonly<Record<SettingSource, string>> = {
  exported: "exported",
  workspace: "repository's .env",
  user: "your .env",
  app: "App's .env",
  repository: ".github/loom.yml",
  default: "default",
};
const TONES: Readonly<Record<SettingSource, Tone>> = {
  exported: "good",
  workspace: "busy",
  user: "busy",
  app: "busy",
  repository: "busy",
  default: "quiet",
};
const LONGEST_VALUE = 48;
const SHORTEST_VALUE = 24;
/** So that what a setting is for can be read beside long values. */
const ROOM_FOR_ABOUT = 40;

/** For people, by group. What is wrong with a value stands below it. `width` null: nothing is cut, for a pipe. */
export function renderSettings(
  settings: readonly ResolvedSetting[],
  files: SettingFiles,
  options: { readonly width: number | null; readonly color: boolean; readonly measure: Measure },
): string {
  const { measure, color, width } = options;
  const widthOfAll = (texts: readonly string[]): number => widest("", texts, measure);
  const column = (most: number): Column => ({ title: "", width: most });
  const names = widthOfAll(settings.map(({ name }) => name));
  const sources = widthOfAll(settings.map(({ source }) => WORDS[source]));
  const values = widthOfAll(settings.map(valueText));
  const beside = (width ?? 0) - names - sources - 4 * 2;
  const sandbox = Math.min(LONGEST_VALUE, Math.max(SHORTEST_VALUE, beside - ROOM_FOR_ABOUT));
  const shown = width === null ? values : Math.min(values, sandbox);
  const left = width === null ? widthOfAll(settings.map(({ about }) => about)) : beside - shown;
  const fixed = [column(names), column(shown), column(sources)];
  const columns = left < 20 ? fixed : [...fixed, column(left)];
  const value = (one: ResolvedSetting): string => cutText(valueText(one), shown, measure);
  const lines = SETTING_GROUPS.flatMap((group) => [
    paint(group, "strong", color),
    ...settings
      .filter((one) => one.group === group)
      .flatMap((one) => [
        `  ${tableLine(columns, cellsOf(one, value(one)), { measure, color })}`,
        ...(one.problem === null ? [] : [`    ${paint(`! ${plainText(one.problem)}`, "warning", color)}`]),
      ]),
    "",
  ]);
  const where = [
    ...(files.workspace === null ? [] : [`the repository's is ${plainText(files.workspace)}`]),
    `yours is ${plainText(files.user)}`,
  ];
  return `${[...lines, `Of .env files, ${where.join("; ")}.`].join("\n")}\n`;
}

function cellsOf({ name, source, about }: ResolvedSetting, value: string): Cell[] {
  const isSet = source !== "default";
  return [
    { text: name, tone: isSet ? "strong" : "plain" },
    { text: value, tone: isSet ? "plain" : "quiet" },
    { text: WORDS[source], tone: TONES[source] },
    { text: about, tone: "quiet" },
  ];
}

function valueText({ value }: ResolvedSetting): string {
  if (value === null) return "–";
  const plain = plainText(value);
  return plain === "" ? '""' : plain;
}
