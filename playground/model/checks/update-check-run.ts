import { tell } from "../people/subjects.ts";
import { Refusal } from "../refusal.ts";
import type { CheckRun, Login, Repository } from "../types.ts";
import type { World } from "../world.ts";
import { checkOutput } from "./check-output.ts";
import type { CheckRunFields } from "./create-check-run.ts";

/** Annotations are appended, everything else is replaced when given. A conclusion completes the run. */
export function updateCheckRun(
  world: World,
  repository: Repository,
  checkRun: CheckRun,
  options: CheckRunFields & { readonly by: Login },
): void {
  checkOutput(options.output, options.actions);
  const completes = options.conclusion !== undefined || options.status === "completed";
  if (completes && options.conclusion === undefined && checkRun.conclusion === null) {
    throw new Refusal(422, "Invalid request.\n\nIf status is completed, a conclusion must be supplied.");
  }
  const wasCompleted = checkRun.status === "completed";
  checkRun.externalId = options.externalId ?? checkRun.externalId;
  checkRun.detailsUrl = options.detailsUrl ?? checkRun.detailsUrl;
  checkRun.startedAt = options.startedAt ?? checkRun.startedAt;
  if (options.output) {
    checkRun.title = options.output.title ?? checkRun.title;
    checkRun.summary = options.output.summary ?? checkRun.summary;
    checkRun.text = options.output.text ?? checkRun.text;
    checkRun.annotations.push(...(options.output.annotations ?? []));
  }
  if (options.actions) checkRun.actions = [...options.actions];
  if (completes) {
    checkRun.status = "completed";
    checkRun.conclusion = options.conclusion ?? checkRun.conclusion;
    checkRun.completedAt = options.completedAt ?? world.clock.now();
  } else if (options.status) {
    checkRun.status = options.status;
    checkRun.conclusion = null;
    checkRun.completedAt = null;
  }
  if (completes && !wasCompleted) {
    tell(world, "check_run", "completed", { repository, sender: options.by }, { checkRun });
  }
}

/** 404 when there is none. */
export function findCheckRun(repository: Repository, id: number): CheckRun {
  const found = repository.checkRuns.find((run) => run.id === id);
  if (!found) throw new Refusal(404, "Not Found");
  return found;
}
