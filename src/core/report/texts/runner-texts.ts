import { code } from "../../markdown/escape-markdown.ts";

/** What is said where work waits for a worker that is not there. */
export const runnerTexts = {
  unserved: (label: string): string =>
    `No worker serves the label ${code(label)}; start one with ${code(`LOOM_LABELS=${label}`)} (see README).`,
};
