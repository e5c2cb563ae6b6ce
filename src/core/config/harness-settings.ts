import { table } from "../table.ts";

/** The harnesses that Loom brings. */
export const KNOWN_HARNESSES = ["claude", "codex", "gemini", "opencode", "command", "scripted"] as const;

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the operator's environment says about one harness; null: the harness's own choice. */
export type HarnessSettings = {
  readonly bin: string | null;
  readonly model: string | null;
  /** Empty: there is to be none, and what it would write is not asked for. */
  readonly smallModel: string | null;
  /** As written; empty when there are none. */
  readonly args: string;
};

/** Names from the time when there was one harness. */
export const CLAUDE_ALIASES: Readonly<Record<string, string>> = table({
  BIN: "LOOM_CLAUDE",
  MODEL: "LOOM_MODEL",
  SMALL_MODEL: "LOOM_COMMIT_MODEL",
});

/** `LOOM_<ID>_BIN`, `_MODEL`, `_SMALL_MODEL`, `_ARGS`. */
export function readHarnessSettings(env: Environment, id: string): HarnessSettings {
  const name = id.toUpperCase().replaceAll("-", "_");
  const value = (field: string): string | undefined => {
    const alias = name === "CLAUDE" ? CLAUDE_ALIASES[field] : undefined;
    return (env[`LOOM_${name}_${field}`] ?? (alias === undefined ? undefined : env[alias]))?.trim();
  };
  return {
    bin: value("BIN") || null,
    model: value("MODEL") || null,
    smallModel: value("SMALL_MODEL") ?? null,
    args: value("ARGS") ?? "",
  };
}
