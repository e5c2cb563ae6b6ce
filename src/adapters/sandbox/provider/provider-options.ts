import type { Patterns } from "../../../ports/patterns.ts";
import type { ProcessSupervisor } from "../../../ports/process-supervisor.ts";
import type { Limits } from "../../../ports/sandbox.ts";
import type { Environment } from "./bubblewrap/shown-programs.ts";
import type { ControlGroup } from "./limits/control-groups.ts";

export type ProviderOptions = {
  /** Starts the programs and sees that none outlives its session. */
  readonly supervisor: ProcessSupervisor;
  /** The operator's. */
  readonly env: Environment;
  /** Where the files of sandboxes go: absolute, and outside of every work tree. */
  readonly folder: string;
  /** Where Loom was started. */
  readonly cwd: string;
  readonly patterns: Patterns;
  /** Limits that the kernel holds programs to, where Loom may set them; without it they are watched only. */
  readonly group?: (limits: Limits) => ControlGroup | null;
};
