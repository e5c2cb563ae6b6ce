import type { StageId } from "../ids.ts";
import { splitFirst } from "./split-words.ts";
import { toStage } from "./to-stage.ts";

/** Who has asked something in a thread. */
export type Askers = {
  /** Whether a planner's questions wait. */
  readonly planner: boolean;
  /** All stages of the run, and those of them that wait for an answer. */
  readonly stages: readonly StageId[];
  readonly asking: readonly StageId[];
};

export type Addressed =
  | { readonly kind: "planner" }
  | { readonly kind: "stage"; readonly stage: StageId; readonly answer: string }
  /** A stage is named, and nothing is said to it. */
  | { readonly kind: "empty"; readonly stage: StageId }
  /** Stages ask, and the first word names none of the run's. */
  | { readonly kind: "no-stage"; readonly word: string }
  | { readonly kind: "nobody" };

/**
 * Whom the words behind `/loom answer` are for. The words alone can't tell: `b` is a letter, a word and the name of a stage.
 * A stage that waits is meant where its name comes first; any other words are for the planner, if that has asked.
 */
export function addressAnswer(text: string, { planner, stages, asking }: Askers): Addressed {
  const [word, behind] = splitFirst(text.trim());
  const named = toStage(word);
  const stage = named !== null && stages.includes(named) ? named : null;
  const says = behind !== "";
  if (planner && !(stage !== null && says && asking.includes(stage))) return { kind: "planner" };
  // One that has not asked says so itself.
  if (stage !== null && says) return { kind: "stage", stage, answer: behind };
  if (asking.length === 0) return { kind: "nobody" };
  return stage === null ? { kind: "no-stage", word } : { kind: "empty", stage };
}
