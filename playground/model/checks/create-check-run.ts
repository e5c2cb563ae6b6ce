import { isPull } from "../find.ts";
import { nextId } from "../next-id.ts";
import { tell } from "../people/subjects.ts";
import { Refusal } from "../refusal.ts";
import type { CheckRun, Conclusion, Login, Repository } from "../types.ts";
import type { World } from "../world.ts";
import { type CheckOutput, checkOutput } from "./check-output.ts";
import { ensureSuite } from "./request-suites.ts";

export type CheckRunFields = {
  readonly externalId?: string;
  readonly detailsUrl?: string | null;
  readonly status?: CheckRun["status"];
  readonly conclusion?: Conclusion;
  readonly startedAt?: number;
  readonly completedAt?: number;
  readonly output?: CheckOutput;
  readonly actions?: CheckRun["actions"];
};

/** `by` is the App's bot. A second run of the same name on the same commit is a new run; the newest one counts. */
export async function createCheckRun(
  world: World,
  repository: Repository,
  options: CheckRunFields & {
    readonly by: Login;
    readonly app: number;
    readonly name: string;
    readonly headSha: string;
  },
): Promise<CheckRun> {
  checkOutput(options.output, options.actions);
  const headSha = await world.git.resolve(repository.gitDir, options.headSha);
  if (headSha === null) throw new Refusal(422, `No commit found for SHA: ${options.headSha}`);
  const completed = options.conclusion !== undefined || options.status === "completed";
  if (completed && options.conclusion === undefined) {
    throw new Refusal(422, "Invalid request.\n\nIf status is completed, a conclusion must be supplied.");
  }
  const now = world.clock.now();
  const branch = [...repository.issues.values()].find((one) => isPull(one) && one.pull.headSha === headSha);
  const suite = ensureSuite(world, repository, {
    app: options.app,
    sha: headSha,
    branch: branch?.pull?.headRef ?? null,
  });
  const checkRun: CheckRun = {
    id: nextId(world),
    suite: suite.id,
    app: options.app,
    name: options.name,
    headSha,
    externalId: options.externalId ?? "",
    detailsUrl: options.detailsUrl ?? null,
    status: completed ? "completed" : (options.status ?? "queued"),
    conclusion: options.conclusion ?? null,
    startedAt: options.startedAt ?? now,
    completedAt: completed ? (options.completedAt ?? now) : null,
    title: options.output?.title ?? null,
    summary: options.output?.summary ?? null,
    text: options.output?.text ?? null,
    annotations: [...(options.output?.annotations ?? [])],
    actions: [...(options.actions ?? [])],
  };
  repository.checkRuns.push(checkRun);
  const at = { repository, sender: options.by };
  tell(world, "check_run", "created", at, { checkRun });
  if (completed) tell(world, "check_run", "completed", at, { checkRun });
  return checkRun;
}
