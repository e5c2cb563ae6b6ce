/** A tool that an agent is about to use, as far as a policy can look at it. */
export type ToolCall = {
  /** The harness's own name for the tool. */
  readonly tool: string;
  /** What a shell would run; null for tools that run none. */
  readonly command: string | null;
};

export type Judgement =
  | { readonly kind: "allow" }
  /** The agent is told the reason, people find it in the log. */
  | { readonly kind: "deny"; readonly reason: string }
  /** A person decides; until then the stage waits. */
  | { readonly kind: "ask"; readonly question: string };

/** Decides outside of the sandbox, so that no agent can talk it round. */
export type Judge = (call: ToolCall) => Judgement;
