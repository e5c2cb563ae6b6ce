import { UserError } from "../../errors.ts";
import type { Environment } from "../harness-settings.ts";

type Range = { readonly what: string; readonly least: number; readonly most: number; readonly else?: string };

/** The numbers of a service. A wrong one keeps it from starting: nobody may be there to read a warning. */
const RANGES = {
  LOOM_PORT: { what: "a number", least: 0, most: 65_535 },
  PORT: { what: "a number", least: 0, most: 65_535 },
  LOOM_CONCURRENCY: { what: "a whole number", least: 1, most: 64 },
  LOOM_MAX_PER_INSTALLATION: { what: "a whole number", least: 1, most: 1000, else: "no limit" },
  LOOM_LEASE_SECS: { what: "a number of seconds", least: 3, most: 3600 },
  LOOM_SWEEP_SECS: { what: "a number of seconds", least: 1, most: 3600 },
  LOOM_WRITE_PAUSE_MS: { what: "a whole number", least: 0, most: 60_000, else: "a second" },
} as const satisfies Record<string, Range>;

/** None of Loom's commands helps: a number has to be changed. */
export class WrongNumber extends UserError {
  declare readonly next: string;
}

export type ServiceNumber = keyof typeof RANGES;

export function isServiceNumber(name: string): name is ServiceNumber {
  return Object.hasOwn(RANGES, name);
}

/** null: it is not set. */
export function readServiceNumber(env: Environment, name: ServiceNumber): number | null {
  const text = env[name]?.trim();
  if (!text) return null;
  const range: Range = RANGES[name];
  const { what, least, most } = range;
  // Number() would take "1e3" and "0x10" as well.
  const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  const isWhole = what === "a number of seconds" || Number.isInteger(value);
  if (isWhole && value >= least && value <= most) return value;
  throw new WrongNumber(`${name} is "${text}".`, {
    next: `Give ${what} from ${least} to ${most}${range.else === undefined ? "" : `, or leave it out for ${range.else}`}.`,
    exitCode: 2,
  });
}
