/** What an agent may use. `search` finds files and text in them; `shell` runs commands. */
export const TOOL_NAMES = ["read", "search", "write", "shell"] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

/** What follows from its tools; a stage that has to change files needs one that can write. */
export const CAPABILITIES = ["read-only", "read-shell", "read-write", "full"] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** One specialist of the roster: a file in `prompts/agents/`, front matter and method. */
export type AgentProfile = {
  /** Small letters, digits and dashes, as plans name it. */
  readonly name: string;
  /** When it is the right one, for whoever plans. */
  readonly description: string;
  readonly tools: readonly ToolName[];
  readonly capability: Capability;
  /** 0 to 2; used where the harness can be told. */
  readonly temperature: number;
  /** Of one session. */
  readonly maxTurns: number;
  readonly timeoutMins: number;
  /** Skills that come along in its prompts. */
  readonly skills: readonly string[];
  /** Method, decisions, limits, and what to hand over. */
  readonly body: string;
};

export function isReadOnly({ capability }: Pick<AgentProfile, "capability">): boolean {
  return capability === "read-only" || capability === "read-shell";
}

export function canRun({ capability }: Pick<AgentProfile, "capability">): boolean {
  return capability === "read-shell" || capability === "full";
}

/** As the roster names them: plans from elsewhere write `code_reviewer`. */
export function agentName(written: string): string {
  return written.trim().toLowerCase().replaceAll("_", "-");
}
