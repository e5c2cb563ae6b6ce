import type { Environment } from "../harness-settings.ts";
import { SETTINGS, type Setting } from "./setting-table.ts";

export type ServicePick = {
  readonly values: Readonly<Record<string, string>>;
  /** Settings that count only when the operator names the file, or exports them. */
  readonly refused: readonly string[];
  /** Settings that say where files are, so that no file can set them. */
  readonly onlyExported: readonly string[];
  /** Names that are no setting of Loom's, such as PATH or NODE_OPTIONS. */
  readonly unknown: readonly string[];
};

const BY_NAME = new Map(SETTINGS.map((setting) => [setting.name, setting]));

const SAY_WHERE_FILES_ARE = ["LOOM_CONFIG", "LOOM_ENV_FILE"];

/**
 * What a service takes from its env file. `named`: the operator said which file it is, so it is their word and every
 * setting counts. A `.env` that merely lies in the current folder sets the service up: the App, its addresses, the keys of
 * models, and what even a repository may choose. It can't take the sandbox away or say which programs are started. Nothing
 * but settings counts in either: a line such as NODE_OPTIONS or LD_PRELOAD would be code in every process that Loom starts.
 */
export function pickForService(file: Environment, named: boolean): ServicePick {
  const fates = Object.keys(file).map((name) => ({ name, fate: fateOf(name, file[name] ?? "", named) }));
  const names = (wanted: Fate): string[] =>
    fates.filter(({ fate }) => fate === wanted).map(({ name }) => name);
  return {
    values: Object.fromEntries(names("values").map((name) => [name, file[name] ?? ""])),
    refused: names("refused"),
    onlyExported: names("onlyExported"),
    unknown: names("unknown"),
  };
}

type Fate = keyof ServicePick | "nothing";

function fateOf(name: string, value: string, named: boolean): Fate {
  const setting = BY_NAME.get(name);
  if (value.trim() === "" && !setting?.takesNothing) return "nothing";
  if (setting === undefined) return "unknown";
  if (SAY_WHERE_FILES_ARE.includes(name)) return "onlyExported";
  return named || maySetUp(setting, value) ? "values" : "refused";
}

function maySetUp({ group, weakest, workspaceTakes }: Setting, value: string): boolean {
  if (group === "service" || group === "keys") return true;
  return weakest === "workspace" && (workspaceTakes?.(value) ?? true);
}
