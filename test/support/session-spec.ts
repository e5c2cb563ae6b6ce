import type { SessionSpec } from "../../src/ports/harness.ts";

/** A session of a stage with nothing special about it; `home` has to be a folder of its own. */
export function aSessionSpec(
  parts: Partial<SessionSpec> & Pick<SessionSpec, "tree" | "home" | "marker">,
): SessionSpec {
  const { prompt = "do it\n" } = parts;
  return {
    run: "r",
    stage: "s",
    attempt: 1,
    session: "x",
    prompt,
    rules: "",
    task: prompt,
    promptFile: "/dev/null",
    model: null,
    effort: null,
    resume: null,
    tools: "all",
    temperature: null,
    maxTurns: null,
    sandboxSpec: {
      hidden: [],
      readOnly: [],
      writable: [],
      network: { allow: [] },
      limits: {
        processes: 512,
        memoryBytes: 4 * 1024 ** 3,
        fileBytes: 512 * 1024 ** 2,
        diskBytes: 2 * 1024 ** 3,
      },
    },
    judge: null,
    ...parts,
  };
}
