import { nearestName } from "../../text/nearest-name.ts";
import { type Environment, KNOWN_HARNESSES } from "../harness-settings.ts";
import { readKeepLimits } from "../keep-limits.ts";
import { isServiceNumber, readServiceNumber, WrongNumber } from "./service-numbers.ts";
import { SANDBOX_MODES, SETTINGS, WINDOW_TITLES } from "./setting-table.ts";
import { settingTexts } from "./setting-texts.ts";
import { readSettings } from "./settings.ts";
import { createVariables, shown, type UsedValue } from "./variables.ts";

/** What comes of the variables that Loom reads more of than their text, by the readers that runs and services use. */
export function usedValues(env: Environment): ReadonlyMap<string, UsedValue> {
  // Which agent is the usual one does not matter here.
  const { used } = readSettings(env, { harness: "any", maxParallel: null }, { maxParallel: null });
  const further = createVariables(env);
  further.word("LOOM_WINDOW_TITLE", "auto", WINDOW_TITLES);
  further.wholeNumber("LOOM_OPENCODE_WINDOW", null);
  const keep = readKeepLimits(env).used;
  return new Map([...used, ...keep, ...further.used, ...refusedWords(env), ...serviceNumbers(env)]);
}

type Entry = readonly [name: string, value: UsedValue];

/** Where these are wrong nothing is used in their place: what needs them does not start. */
function refusedWords(env: Environment): Entry[] {
  const check = (name: string, known: readonly string[], stops: string): Entry[] => {
    const text = env[name]?.trim();
    if (!text || known.includes(text)) return [];
    const problem = settingTexts.unknownWord(name, shown(text), known, stops, nearestName(text, known));
    return [[name, { text, problem }]];
  };
  return [
    ...check("LOOM_HARNESS", KNOWN_HARNESSES, "no run starts with it"),
    ...check("LOOM_SANDBOX", SANDBOX_MODES, "no agent starts with it"),
  ];
}

function serviceNumbers(env: Environment): Entry[] {
  return SETTINGS.flatMap(({ name }): Entry[] => {
    if (!isServiceNumber(name)) return [];
    try {
      const value = readServiceNumber(env, name);
      return value === null ? [] : [[name, { text: String(value), problem: null }]];
    } catch (error) {
      if (!(error instanceof WrongNumber)) throw error;
      const problem = settingTexts.keepsServiceDown(`${error.message} ${error.next}`);
      return [[name, { text: shown(env[name] ?? ""), problem }]];
    }
  });
}
