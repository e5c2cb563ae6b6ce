import { readRepositoryConfig } from "../../core/config/read-repository-config.ts";
import { REPOSITORY_CONFIG_PATH } from "../../core/config/repository-config.ts";
import type { DeliveryOf } from "../../core/delivery/delivery.ts";
import type { Sha } from "../../core/ids.ts";
import { configCheck } from "../../core/report/github/config-check.ts";
import { allAgents } from "../../core/roster/roster.ts";
import type { RepoEngine } from "./host.ts";

const MAX_BYTES = 65_536;

/** The external id of its check run; no run's id is that short. */
export const CONFIG_CHECK = "config";

/** A pull request that breaks the configuration hears of it before it is merged; one that leaves it alone hears nothing. */
export async function checkConfig(engine: RepoEngine, { head }: DeliveryOf<"pull-request">): Promise<void> {
  // A fork's commits can't carry check runs of ours, and its configuration counts only once it is merged here.
  if (head.repo === engine.place.repo.id) await checkConfigAt(engine, head.sha);
}

export async function checkConfigAt(engine: RepoEngine, head: Sha): Promise<void> {
  const [text, { tip }] = await Promise.all([
    engine.hub.readFile(head, REPOSITORY_CONFIG_PATH, MAX_BYTES),
    engine.hub.defaultBranch(),
  ]);
  if (text === (await engine.hub.readFile(tip, REPOSITORY_CONFIG_PATH, MAX_BYTES))) return;
  const { problems, config } = readRepositoryConfig(text, allAgents(engine.roster));
  await engine.hub.putCheck(
    { ...configCheck(config === null, problems), head, externalId: CONFIG_CHECK },
    null,
  );
}
