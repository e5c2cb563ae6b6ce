import { obey } from "./obey.ts";
import type { SeenRequest } from "./seen-request.ts";
import {
  type CutStep,
  type Disturbance,
  type ErrorStep,
  type FixedStep,
  type HangStep,
  isDisturbance,
  type SayStep,
  type Script,
  type Step,
  type ToolStep,
} from "./step.ts";

/** A step that can be sent. */
export type PlainStep = SayStep | ToolStep | ErrorStep | HangStep | CutStep;

/** How often each disturbance has been played, over all conversations: so a second session can find it gone. */
export type Played = WeakMap<Disturbance, number>;

const NOTHING_LEFT: SayStep = { say: "Done." };

/**
 * The step for a request, found by the conversation that is sent and not by counting requests: a CLI that asks again
 * gets the same answer. Turns take one step each; a disturbance takes none, is played `times` times (for ever, if it
 * does not say) and then stepped over. Behind the last step it is played again and again, when it is a computed one or
 * an `obey`; else the model says that it is done.
 */
export function chooseStep(script: Script, request: SeenRequest, played: Played): PlainStep {
  if (typeof script === "function") return plain(script(request), request, played);
  return walk(script, request, played);
}

function walk(script: readonly Step[], request: SeenRequest, played: Played): PlainStep {
  const steps = [...script];
  let turnsLeft = request.turns;
  for (let next = steps.shift(); next !== undefined; next = steps.shift()) {
    const isLast = steps.length === 0;
    const step = typeof next === "function" ? next(request) : next;
    if (isList(step)) {
      steps.unshift(...step);
      continue;
    }
    if (typeof step === "function") {
      steps.unshift(step);
      continue;
    }
    if (isDisturbance(step)) {
      if (take(step, turnsLeft, played)) return step;
      continue;
    }
    const goesOn = isLast && (typeof next === "function" || "obey" in step);
    if (turnsLeft === 0 || goesOn) return resolved(step, request, played);
    turnsLeft -= 1;
  }
  return NOTHING_LEFT;
}

function plain(step: Step, request: SeenRequest, played: Played): PlainStep {
  if (typeof step === "function") {
    const computed = step(request);
    return isList(computed) ? walk(computed, request, played) : plain(computed, request, played);
  }
  if (isDisturbance(step)) return take(step, 0, played) ? step : NOTHING_LEFT;
  return resolved(step, request, played);
}

function resolved(step: Exclude<FixedStep, Disturbance>, request: SeenRequest, played: Played): PlainStep {
  return "obey" in step ? plain(obey(request, step.usage), request, played) : step;
}

/** One that lasts for ever can't be passed, whatever the conversation says. */
function take(step: Disturbance, turnsLeft: number, played: Played): boolean {
  if (step.times === undefined) return true;
  const before = played.get(step) ?? 0;
  if (turnsLeft > 0 || before >= step.times) return false;
  played.set(step, before + 1);
  return true;
}

function isList(step: Step | readonly Step[]): step is readonly Step[] {
  return Array.isArray(step);
}
