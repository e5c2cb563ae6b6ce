import { randomUUID } from "node:crypto";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { createDriverLease } from "../adapters/embedded/driver-lease.ts";
import { createEmbeddedJobQueue } from "../adapters/embedded/job-queue.ts";
import { createEmbeddedLeases } from "../adapters/embedded/leases.ts";
import { ledgerPath } from "../adapters/embedded/ledger-folder.ts";
import { createEmbeddedRunStore } from "../adapters/embedded/run-store.ts";
import { createEmbeddedTaskStore } from "../adapters/embedded/task-store.ts";
import { createGit } from "../adapters/git/run/git.ts";
import { createRepositoryGit } from "../adapters/git/run/repository-git.ts";
import { treesName } from "../adapters/git/trees/sweep-trees.ts";
import { createGitWorkspace } from "../adapters/git/workspace.ts";
import { assertUntracked } from "../adapters/local/assert-untracked.ts";
import { createAuditFiles } from "../adapters/local/audit-files.ts";
import { findBranch } from "../adapters/local/checkout-find.ts";
import { assertCheckoutClean } from "../adapters/local/checkout-state.ts";
import { createLocalForge, type LocalForge } from "../adapters/local/forge.ts";
import { openRepository } from "../adapters/local/open-repository.ts";
import { findTarget, resolveTarget } from "../adapters/local/resolve-target.ts";
import { createRunFiles } from "../adapters/local/run-files.ts";
import { findUnsavedWork } from "../adapters/local/unsaved-work.ts";
import { createSupervisor } from "../adapters/sandbox/processes/process-supervisor.ts";
import { createPatterns } from "../adapters/text/patterns.ts";
import type { ReadRepositoryConfig } from "../core/config/repository/read-repository-config.ts";
import { stateDirIn } from "../core/config/settings/settings.ts";
import { UserError } from "../core/errors.ts";
import type { RunId } from "../core/ids.ts";
import { createSecretScan } from "../core/merge/secret-scan.ts";
import { TASK_WORDS } from "../core/report/audit/ledger-words.ts";
import type { Redact } from "../core/secrets/redact.ts";
import { createRunLedgers } from "../engine/run/run-ledgers.ts";
import type { TaskEngine } from "../engine/task/task-engine.ts";
import { createTaskLedgers } from "../engine/task/task-ledgers.ts";
import type { DriverLease } from "../ports/driver-lease.ts";
import type { Feed } from "../ports/feed.ts";
import type { Repository, RepositoryGit } from "../ports/git.ts";
import type { Workspace } from "../ports/workspace.ts";
import { openAgents } from "./agents.ts";
import { cacheFolder, treesFolder } from "./folders/cache-folder.ts";
import { measureDisk } from "./folders/disk-use.ts";
import { homeFolder } from "./folders/home-folder.ts";
import { sweepLocalDisk } from "./folders/sweep-local-disk.ts";
import { holdTask, type OnTaskEvent } from "./hold-task.ts";
import { createAuditLog } from "./hosted/audit-log.ts";
import { openRoster } from "./load-roster.ts";
import type { LocalAgents, LocalCheckout, LocalDisk, LocalTasks, PlanOfRun } from "./local-parts.ts";
import { findReplacedPrompts, loadPromptTexts, planPrompts, promptFolders } from "./prompt-texts.ts";
import type { Env } from "./settings/env.ts";
import { readConfigAt } from "./settings/head-config.ts";
import { ownPrograms } from "./settings/own-programs.ts";
import { secretsInFiles } from "./settings/secret-files.ts";
import { createStamp } from "./stamp.ts";
import { unknownHarness } from "./unknown-harness.ts";
import {
  eventWithoutSecrets,
  feedWithoutSecrets,
  filesWithoutSecrets,
  taskWithoutSecrets,
} from "./without-secrets.ts";

/** Loom on one machine: the person's own repository, ledgers in its git directory, work trees in the cache folder. */
export type Local = {
  readonly engine: TaskEngine;
  /** For what is shown without having been written down before. */
  readonly redact: Redact;
  readonly lease: DriverLease;
  readonly git: RepositoryGit;
  readonly repository: Repository;
  readonly checkout: LocalCheckout;
  readonly agents: LocalAgents;
  readonly disk: LocalDisk;
  readonly tasks: LocalTasks;
  /** `.github/loom.yml` of the last commit. */
  readonly readConfig: () => Promise<ReadRepositoryConfig>;
  readonly workspace: (run: RunId) => Workspace;
  readonly forge: (target: string) => Promise<LocalForge>;
  /** Loom is to stop: git no longer takes its time for agents' trees. */
  hurry(): void;
  /** Gives back everything this process holds, the work trees it opened included. */
  close(): Promise<void>;
};

export type LocalOptions = {
  readonly cwd: string;
  readonly env: Env;
  readonly feed: Feed;
  /** false: somebody only looks, and a sandbox that can't be had is no reason to refuse that. */
  readonly runsAgents: boolean;
  /**
   * Whether the user's own agents are loaded; where agents run unless told otherwise. `if-usable`: one that can't be used
   * is told as `rosterProblem`, and then nobody may be started.
   */
  readonly ownAgents?: boolean | "if-usable";
};

export async function openLocal(options: LocalOptions): Promise<Local> {
  const { cwd, env, runsAgents, ownAgents = runsAgents } = options;
  const secrets = createSecretScan(env, secretsInFiles(env, cwd));
  const { redact } = secrets;
  const feed = feedWithoutSecrets(options.feed, redact);
  const stop = new AbortController();
  const program = createGit({ cwd, stop: stop.signal });
  const repository = await openRepository(program, cwd);
  const git = createRepositoryGit(program, repository);
  const root = join(repository.commonDir, "loom", "runs");
  const store = createEmbeddedRunStore({ root });
  const supervisor = createSupervisor();
  const trees = resolve(cwd, treesFolder(env));
  const ownTrees = join(trees, treesName(repository.commonDir));
  const openWorkspace = (name: string): Workspace =>
    createGitWorkspace({ git, treesRoot: join(ownTrees, name), secrets });
  const workspace = memoize(openWorkspace);
  const forge = memoize((target: string) => createLocalForge({ git, target }));
  const folder = join(cacheFolder(env), "sandboxes", treesName(repository.commonDir));
  const { harnesses, ...agents } = await openAgents({ supervisor, env, cwd, folder, runsAgents });
  // Who only looks is not to be stopped by a file that agents would be told by.
  const { roster, warnings: rosterWarnings, problem: rosterProblem } = rosterFor(env, ownAgents);
  let config: Promise<ReadRepositoryConfig> | null = null;
  const taskRoot = join(repository.commonDir, "loom", "tasks");
  const taskStore = createEmbeddedTaskStore({ root: taskRoot });
  const taskLease = createDriverLease({ root: taskRoot });
  // A person at a terminal reads what became of the run there; who looks for an attack reads the file beside its logs.
  const audit = createAuditLog({ write: createAuditFiles([root, taskRoot]), redact });
  const openLedgers = (onEvent: OnTaskEvent) =>
    createTaskLedgers(taskStore, taskWithoutSecrets(redact), onEvent);
  const pathInRepository = (path: string): string => {
    const inside = repository.root === null ? null : relative(repository.root, path);
    return inside === null || inside.startsWith("..") || isAbsolute(inside)
      ? path
      : inside.split(sep).join("/");
  };
  const promptsOfPlan = ({ planPath, settings }: PlanOfRun) =>
    planPrompts(repository.root, { stateDir: settings?.stateDir ?? stateDirIn(env), planPath });
  const engine: TaskEngine = {
    taskStore,
    tasks: openLedgers(() => {}),
    taskFiles: filesWithoutSecrets(createRunFiles({ root: taskRoot }), redact),
    store,
    runs: createRunLedgers(store, feed, eventWithoutSecrets(redact)),
    queue: createEmbeddedJobQueue(),
    leases: createEmbeddedLeases(),
    supervisor,
    ...agents,
    patterns: createPatterns(),
    files: filesWithoutSecrets(createRunFiles({ root }), redact),
    feed,
    audit,
    workspaceFor: (run) => workspace(run.id),
    forgeFor: (run) => forge(run.target),
    // Whoever starts a run on their own machine has read the plan.
    stillApproved: async () => true,
    describeStage: (_run, { plan }) => ({ title: plan.name, body: plan.description }),
    harness: (id) => harnesses.get(id) ?? unknownHarness(id, [...harnesses.keys()]),
    promptsFor: (run) =>
      loadPromptTexts({ folders: promptFolders(env, homeFolder(env)), ofPlan: promptsOfPlan(run) }),
    roster,
    projectRoot: repository.root ?? repository.commonDir,
    now: Date.now,
    newId: randomUUID,
  };
  const checkout: LocalCheckout = {
    tipOf: async (branch) => (await findBranch(git, branch)).tip,
    resolveTarget: (into) => resolveTarget(git, into),
    findTarget: (into) => findTarget(git, into),
    unsavedWork: () => findUnsavedWork(git),
    assertClean: (target) => assertCheckoutClean(git, target),
    assertUntracked: (target, files) => assertUntracked(git, target, files),
    pathInRepository,
    ownPrograms: ownPrograms(repository.root),
  };
  const disk: LocalDisk = {
    treesFolder: trees,
    use: async () => measureDisk({ root, runs: await store.list(), files: engine.files, trees: ownTrees }),
    async sweep() {
      const day = createStamp(join(repository.commonDir, "loom", "swept"), DAY_MS, engine.now);
      if (!day.isDue()) return;
      const tasks = { lease: taskLease, folder: ownTrees, openWorkspace };
      await sweepLocalDisk({
        engine,
        env,
        tasks,
        lease: createDriverLease({ root }),
        trees,
        sandboxes: dirname(folder),
      });
      day.done();
    },
  };
  return {
    engine,
    redact,
    lease: createDriverLease({ root }),
    git,
    repository,
    checkout,
    agents: {
      harnesses: [...harnesses.keys()],
      warnings: rosterWarnings,
      problem: rosterProblem,
      replacedPrompts(run) {
        const place = promptsOfPlan(run);
        return { ...findReplacedPrompts(place), folder: place ? pathInRepository(place.folder) : "" };
      },
    },
    disk,
    tasks: {
      hold: (id, onEvent) =>
        holdTask({ engine, lease: taskLease, folder: ownTrees, openWorkspace, openLedgers }, id, onEvent),
      ledgerFile: (id) => ledgerPath(taskRoot, id, TASK_WORDS),
    },
    readConfig() {
      config ??= readConfigAt(git, repository.headSha, roster);
      return config;
    },
    workspace,
    forge,
    hurry: () => stop.abort(),
    async close() {
      await engine.queue.close();
      try {
        await supervisor.close();
        await agents.sandboxes.close();
      } finally {
        for (const opened of workspace.all()) await opened.dispose();
        await Promise.all([git.objects.close(), git.diffs.close()]);
        await store.close();
        await taskStore.close();
        audit.close();
      }
    },
  };
}

const DAY_MS = 24 * 3_600_000;

function rosterFor(
  env: Env,
  ownAgents: boolean | "if-usable",
): ReturnType<typeof openRoster> & { readonly problem: UserError | null } {
  try {
    return { ...openRoster(env, { ownFiles: ownAgents !== false }), problem: null };
  } catch (error) {
    if (ownAgents !== "if-usable" || !(error instanceof UserError)) throw error;
    return { ...openRoster(env, { ownFiles: false }), problem: error };
  }
}

function memoize<K, V>(make: (key: K) => V): ((key: K) => V) & { all(): V[] } {
  const made = new Map<K, V>();
  const get = (key: K): V => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
  return Object.assign(get, { all: () => [...made.values()] });
}
