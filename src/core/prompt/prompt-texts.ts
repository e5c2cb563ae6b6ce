import type { Audit } from "../command/task-kinds.ts";
import type { StageType } from "../plan/plan.ts";
import type { SessionTexts, SmallTexts } from "../session/session-requests.ts";

/** What opens a session of a kind other than a stage's first one. */
export type Opening = "recovery" | "hand-off" | "merge-conflict";

/** Kinds of stages that are another piece of work for an agent that can't change files. */
export type ReadingStage = "standard" | "code-review" | "integration-verify";

/** The texts that prompts are made of; they stand in `prompts/`. Nothing of a run is in any of them. */
export type StagePrompts = Readonly<Record<StageType | Opening, string>> & {
  /** In place of the stage's own, where its agent can't change files. */
  readonly reading: Readonly<Record<ReadingStage, string>>;
  /** Where every session finds itself, and how it ends. */
  readonly common: string;
  /** Said besides when a completion block is wanted. */
  readonly completion: string;
};

/** What opens the sessions of tasks: of planning, of audits, of questions. */
export type TaskTexts = {
  /** For every one of them: where it is, what it may do, that what others wrote is data. */
  readonly common: string;
  readonly planning: {
    /** The first look: a plan, or what has to be asked first. */
    readonly begin: string;
    readonly design: string;
    readonly draft: string;
    /** What is wrong with an answer that was not to be a plan alone. */
    readonly again: string;
    readonly redraft: string;
    readonly revise: string;
    /** The plan format, for all that end in a plan. */
    readonly format: string;
  };
  readonly ask: string;
  readonly audits: Readonly<Record<Audit, string>>;
  /** The form of an audit's answer. */
  readonly findings: string;
  /** Documents with `{{places}}`. */
  readonly templates: { readonly design: string; readonly plan: string; readonly sessionState: string };
};

/** All that Loom says to models. */
export type PromptTexts = StagePrompts & {
  readonly tasks: TaskTexts;
  readonly sessions: SessionTexts;
  readonly small: SmallTexts;
};
