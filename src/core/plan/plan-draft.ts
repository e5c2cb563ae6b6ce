import type { Ancestry } from "../graph/ancestry.ts";
import type { StageGraph } from "../graph/stage-graph.ts";
import type { StageId } from "../ids.ts";
import type { Complexity, SandboxRules, StagePlan } from "./plan.ts";
import type { Outline } from "./read/read-outlines.ts";
import type { Path } from "./read/read-yaml.ts";
import type { Reporter } from "./report-problems.ts";

/** A plan that has been read, field by field, and has yet to prove that it fits together. */
export type PlanDraft = {
  readonly outlines: readonly Outline[];
  /** Those with an id of their own. */
  readonly stages: readonly PlacedStage[];
  /** null as long as ids, dependencies or cycles are wrong. */
  readonly graph: StageGraph | null;
  /** Of the graph; made when it is first asked for. */
  readonly ancestry: () => Ancestry | null;
  readonly complexity: Complexity | null;
  readonly sandbox: SandboxRules;
  readonly agents: AgentList | null;
};

export type PlacedStage = {
  readonly stage: StagePlan;
  /** False when fields had to be left out. */
  readonly whole: boolean;
  readonly at: Path;
  readonly owned: readonly { readonly path: string; readonly at: Path }[];
};

/** The agents that there are, and which stages they can't do: disabled ones can do none. */
export type AgentList = ReadonlyMap<string, AgentLimits>;

export type AgentLimits = {
  /** It can't change files. */
  readonly readOnly: boolean;
  /** It can't run commands. */
  readonly noShell?: boolean;
  readonly disabled?: boolean;
  /** Stages that stand in a run with it, and keep it though it is disabled. */
  readonly keptBy?: ReadonlySet<StageId>;
};

/** Reports everything it finds. */
export type Rule = (draft: PlanDraft, reporter: Reporter) => void;
