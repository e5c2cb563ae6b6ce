import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { openMirror } from "../../adapters/git/mirror/mirror.ts";
import { markMirrorOpened, mirrorIdentity } from "../../adapters/git/mirror/mirror-upkeep.ts";
import { createGitWorkspace } from "../../adapters/git/workspace.ts";
import { type GitHubApp, PERMISSIONS } from "../../adapters/github/app.ts";
import { signingKeyOf } from "../../adapters/github/app-jwt.ts";
import { createGitHubForge } from "../../adapters/github/forge.ts";
import { createRepositoryPorts } from "../../adapters/github/repository-ports.ts";
import { createRunFiles } from "../../adapters/local/run-files.ts";
import { createPatterns } from "../../adapters/text/patterns.ts";
import type { RepositoryRef } from "../../core/command/delivery.ts";
import { type RepoId, type RunId, repoId } from "../../core/ids.ts";
import type { SecretScan } from "../../core/merge/secret-scan.ts";
import { stagePullView } from "../../core/report/github/run/run-views.ts";
import { stagePull } from "../../core/report/github/run/stage-pull.ts";
import type { Roster } from "../../core/roster/roster.ts";
import { redactAll } from "../../core/secrets/redact.ts";
import type { RepoEngine } from "../../engine/github/host.ts";
import { stillApproved } from "../../engine/github/plan/approve-run.ts";
import { suspectLoss } from "../../engine/github/recover/ensure-intact.ts";
import { createRunLedgers } from "../../engine/run/run-ledgers.ts";
import { createTaskLedgers } from "../../engine/task/task-ledgers.ts";
import type { AppClient } from "../../ports/app-client.ts";
import type { Audit } from "../../ports/audit.ts";
import type { Feed } from "../../ports/feed.ts";
import type { Git, Identity } from "../../ports/git.ts";
import type { Job, JobQueue } from "../../ports/job-queue.ts";
import type { ProcessSupervisor } from "../../ports/process-supervisor.ts";
import type { Workspace } from "../../ports/workspace.ts";
import type { Agents } from "../agents.ts";
import { homeFolder } from "../folders/home-folder.ts";
import type { RepositoryDisk } from "../folders/sweep-hosted-disk.ts";
import { loadPromptTexts, promptFolders } from "../prompt-texts.ts";
import type { Env } from "../settings/env.ts";
import type { HostedStore } from "../stores/hosted-store.ts";
import type { AppKeys } from "../stores/seals.ts";
import { unknownHarness } from "../unknown-harness.ts";
import {
  eventWithoutSecrets,
  feedWithoutSecrets,
  filesWithoutSecrets,
  portsWithoutSecrets,
  taskWithoutSecrets,
} from "../without-secrets.ts";
import { auditOf } from "./audit-log.ts";
import { readOwnWork } from "./read-own-work.ts";

export type RepositoryParts = {
  readonly repoRef: RepositoryRef;
  readonly env: Env;
  readonly data: string;
  readonly worker: string;
  readonly githubUrl: string;
  readonly keys: AppKeys;
  readonly program: Git;
  readonly github: GitHubApp;
  readonly client: AppClient;
  readonly supervisor: ProcessSupervisor;
  readonly agents: Agents;
  readonly roster: Roster;
  readonly store: HostedStore;
  readonly secrets: SecretScan;
  /** By repository and run; shared by all engines of the process. */
  readonly workspaces: Map<string, Workspace>;
  readonly notifies: boolean;
  /** How long news are gathered before they are shown. */
  readonly showAfterMs: number;
  readonly warn: (message: string, error?: unknown) => void;
  readonly audit: Audit;
};

export type OpenRepository = RepositoryDisk & {
  /**
   * Says that somebody is about to work with it, so that no sweep removes its mirror meanwhile. false: that was made anew, and
   * what this engine knows of the one before counts no more.
   */
  readonly use: () => boolean;
};

/** The engine of one repository on GitHub: its mirror, its ledgers, its work trees. */
export async function openRepositoryEngine(parts: RepositoryParts): Promise<OpenRepository> {
  const { repoRef, env, data, github, store, secrets, supervisor } = parts;
  const { redact } = secrets;
  const { harnesses, ...agents } = parts.agents;
  const repo = repoId(repoRef.repo.id);
  const folder = join(data, "repositories", repo);
  const { owner, name } = repoRef.repo;
  const path = join(folder, "mirror.git");
  const mirror = await openMirror({
    program: parts.program,
    path,
    url: `${parts.githubUrl}/${owner}/${name}.git`,
    // Asked for each time that git talks to GitHub: tokens live an hour, stages may take longer (F17).
    credentials: (refused) =>
      github.mintToken(
        {
          installation: repoRef.installation,
          repositoryIds: [repoRef.repo.id],
          permissions: PERMISSIONS.push,
        },
        refused,
      ),
  });
  const opened = mirrorIdentity(path);
  const { git } = mirror;
  const audit = auditOf(parts.audit, `${owner}/${name}`);
  const identity: Identity = identityOf(parts.client, parts.githubUrl);
  const workspace = (run: RunId): Workspace => {
    const key = `${repo}/${run}`;
    const treesRoot = join(data, "workers", parts.worker, repo, run);
    const made = parts.workspaces.get(key) ?? createGitWorkspace({ git, identity, treesRoot, secrets });
    parts.workspaces.set(key, made);
    return made;
  };
  const common = {
    client: github.installationClient({ installation: repoRef.installation, repositoryId: repoRef.repo.id }),
    place: repoRef.repo,
    app: parts.client.app,
    remote: mirror.remote,
    git,
    warn: (text: string) => parts.warn(text),
    audit,
  };
  const runs = store.runs(repo);
  const taskStore = store.tasks(repo);
  const queue = scopedQueue(store.queue, repo);
  const feed = feedWithoutSecrets(newsFeed(queue, repo, parts), redact);
  const engine: RepoEngine = {
    repo,
    repoRef,
    webUrl: `${parts.githubUrl}/${owner}/${name}`,
    ...portsWithoutSecrets(
      createRepositoryPorts({
        ...common,
        workspace: workspace(SHARED),
        signingKeys: {
          current: signingKeyOf(parts.keys.privateKey),
          previous: (parts.keys.previousKeys ?? []).map(signingKeyOf),
        },
      }),
      redact,
    ),
    cache: store.cacheOf(repo),
    trainWorkspace: workspace(TRAIN),
    readOwnWork: (commit) => readOwnWork(git, identity, commit),
    store: runs,
    runs: createRunLedgers(runs, feed, eventWithoutSecrets(redact), () => suspectLoss(engine)),
    taskStore,
    tasks: createTaskLedgers(taskStore, taskWithoutSecrets(redact)),
    taskFiles: filesWithoutSecrets(createRunFiles({ root: join(folder, "task-files") }), redact),
    queue,
    leases: store.leases,
    supervisor,
    ...agents,
    patterns: createPatterns(),
    files: filesWithoutSecrets(createRunFiles({ root: join(folder, "files") }), redact),
    feed,
    audit,
    workspaceFor: ({ id }) => workspace(id),
    forgeFor: async ({ id, target, merge }) =>
      createGitHubForge({ ...common, workspace: workspace(id), target, identity, config: merge }),
    stillApproved: (run) => stillApproved(engine, run),
    describeStage: (run, record) => redactAll(stagePull(stagePullView(run, record)), redact),
    harness: (id) => harnesses.get(id) ?? unknownHarness(id, [...harnesses.keys()]),
    promptsFor: () => loadPromptTexts({ folders: promptFolders(env, homeFolder(env)) }),
    roster: parts.roster,
    projectRoot: mirror.repository.commonDir,
    now: Date.now,
    newId: randomUUID,
  };
  return {
    engine,
    git,
    workspaceIn: (treesRoot) => createGitWorkspace({ git, treesRoot }),
    use() {
      markMirrorOpened(path);
      return mirrorIdentity(path) === opened;
    },
  };
}

/** For what belongs to no run: reading files, making the commit of a plan. No id begins with a dot. */
const SHARED = ".shared";
/** For what several runs merge together. */
const TRAIN = ".train";

/** The App's bot, so that its commits carry its face. */
function identityOf({ app }: AppClient, githubUrl: string): Identity {
  const host = new URL(githubUrl).hostname;
  return { name: app.botLogin, email: `${app.id}+${app.botLogin}@users.noreply.${host}` };
}

/** One queue serves all repositories, so every job says whose it is. */
function scopedQueue(queue: JobQueue, repo: RepoId): JobQueue {
  return {
    ...queue,
    enqueue: (job, options) => queue.enqueue("run" in job ? ({ ...job, repo } as Job) : job, options),
  };
}

/** Whatever is written about a run is shown a little later, all of it at once. */
function newsFeed(
  queue: JobQueue,
  repo: RepoId,
  { notifies, showAfterMs }: Pick<RepositoryParts, "notifies" | "showAfterMs">,
): Feed {
  // A ledger that is read for the first time tells all of its past in one breath; one announcement is enough for it.
  const announced = new Set<RunId>();
  const announce = (run: RunId): void => {
    announced.delete(run);
    const quietly = (sent: Promise<void>): void => void sent.catch(() => {});
    quietly(queue.enqueue({ kind: "show", repo, run }, { delayMs: showAfterMs }));
    if (notifies) quietly(queue.enqueue({ kind: "notify", repo, run }, { delayMs: showAfterMs }));
  };
  return (item) => {
    if (item.kind !== "event" || announced.has(item.run.id)) return;
    announced.add(item.run.id);
    setImmediate(announce, item.run.id);
  };
}
