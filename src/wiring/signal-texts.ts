import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SignalTexts } from "../core/signal/build-signal.ts";
import { packageRoot } from "./package-root.ts";

/** The shipped texts of `prompts/stages/`. */
export function loadSignalTexts(): SignalTexts {
  const read = (name: string): string =>
    readFileSync(join(packageRoot(), "prompts", "stages", `${name}.md`), "utf8");
  return {
    standard: read("standard"),
    knowledge: read("knowledge"),
    "integration-verify": read("integration-verify"),
    "code-review": read("code-review"),
    recovery: read("recovery"),
    "merge-conflict": read("merge-conflict"),
  };
}
