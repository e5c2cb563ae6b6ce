import type { DeliveryOf } from "../../../core/command/delivery.ts";
import { readRepositoryConfigFile } from "../../../core/config/repository/read-repository-config.ts";
import { REPOSITORY_CONFIG_PATH } from "../../../core/config/repository/repository-config.ts";
import type { Sha } from "../../../core/ids.ts";
import { configCheck } from "../../../core/report/github/plan/config-check.ts";
import { allAgents } from "../../../core/roster/roster.ts";
import type { FileReading } from "../../../ports/workspace.ts";
import type { RepoEngine } from "../host.ts";

const MAX_BYTES = 65_536;

/** The external id of its check run; no run's id is that short. */
export const CONFIG_CHECK = "config";

/** A pull request that breaks the configuration hears of it before it is merged; one that leaves it alone hears nothing. */
export async function checkConfig(engine: RepoEngine, { head }: DeliveryOf<"pull-request">): Promise<void> {
  // A fork's commits can't carry check runs of ours, and its configuration counts only once it is merged here.
  if (head.repo === engine.repoRef.repo.id) await checkConfigAt(engine, head.sha);
}

export async function checkConfigAt(engine: RepoEngine, head: Sha): Promise<void> {
  const { contents, checks } = engine;
  const { tip } = await contents.defaultBranch();
  const file = await contents.examineFile(head, REPOSITORY_CONFIG_PATH, MAX_BYTES);
  const before = await contents.examineFile(tip, REPOSITORY_CONFIG_PATH, MAX_BYTES);
  if (isSame(file, before)) return;
  const { problems, config } = readRepositoryConfigFile(file, allAgents(engine.roster));
  await checks.putCheck({ ...configCheck(config === null, problems), head, externalId: CONFIG_CHECK }, null);
}

function isSame(one: FileReading, other: FileReading): boolean {
  return one.kind === "text" ? other.kind === "text" && one.text === other.text : one.kind === other.kind;
}
