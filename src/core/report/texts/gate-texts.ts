import { quoteSome } from "../../text/quote.ts";

/** About a gate that was run as the base defines it (T37); parts of sentences that begin with how a command ended. */
export const gateTexts = {
  title: "gate as the base defines it",
  progress: () => "checking the gate as the base defines it",
  /** Below a gate that passes either way. */
  changed: (files: readonly string[]): string => `this stage changes ${quoteSome(files)}`,
  withBase: (how: string, files: readonly string[]): string =>
    `${how} with the base's ${quoteSome(files)}, which this stage changes`,
  asks: () => "a person has to decide",
  named: () => "only a warning, because the plan names what was changed",
  operator: () => "only a warning, because LOOM_GATE_CHANGES is `warn`",
  redBefore: () => "fails on the base as well",
};
