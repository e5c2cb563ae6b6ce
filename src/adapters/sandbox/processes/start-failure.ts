import { statSync } from "node:fs";
import { messageOf } from "../../../core/errors.ts";
import type { ProcessSpec } from "../../../ports/process-supervisor.ts";

/** Why a program could not be started, for a person. The system says "ENOENT" to most of it. */
export function explainStartFailure(spec: ProcessSpec, error: unknown): string {
  const program = spec.argv[0];
  const folder = look(spec.cwd);
  if (!folder) return `the folder ${spec.cwd} was not found`;
  if (!folder.isDirectory()) return `${spec.cwd} is not a folder`;
  switch ((error as NodeJS.ErrnoException).code) {
    case "ENOENT":
      if (!program.includes("/")) return `${program} was not found on PATH`;
      // The file is there, so what is missing is the interpreter that its first line names.
      if (look(program)) return `the interpreter that ${program} names in its first line was not found`;
      return `${program} was not found`;
    case "EACCES":
      return `${program} may not be executed`;
    case "E2BIG":
      return `${program} was given more arguments or a larger environment than the system takes`;
    default:
      return `failed to start ${program}: ${messageOf(error)}`;
  }
}

function look(path: string) {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}
