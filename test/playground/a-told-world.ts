import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFaults, type Faults } from "../../playground/faults.ts";
import { createModelGit } from "../../playground/git/model-git.ts";
import { commitFiles } from "../../playground/git/objects/commit-files.ts";
import { type Hooks, startHooks } from "../../playground/hooks/start-hooks.ts";
import { createWebhookValidator } from "../../playground/hooks/webhook-validator.ts";
import { createApp } from "../../playground/model/apps/create-app.ts";
import { install } from "../../playground/model/apps/install.ts";
import type { PullIssue } from "../../playground/model/find.ts";
import { openIssue } from "../../playground/model/issues/open-issue.ts";
import { createRepository } from "../../playground/model/people/create-repository.ts";
import { createUser } from "../../playground/model/people/create-user.ts";
import { afterPush } from "../../playground/model/pulls/after-push.ts";
import { openPull } from "../../playground/model/pulls/open-pull.ts";
import type { App, Installation, Issue, Repository } from "../../playground/model/types.ts";
import { createWorld, type World } from "../../playground/model/world.ts";
import { type Receiver, SECRET, startReceiver } from "./webhook-receiver.ts";

export const EVERY_EVENT = [
  ...["issues", "issue_comment", "pull_request", "pull_request_review", "check_run", "check_suite", "push"],
  ...["create", "delete", "merge_group", "label", "repository", "pull_request_review_comment"],
];
export const NOW = Date.UTC(2026, 0, 1);
export const validate = createWebhookValidator();

/** A world whose changes are told to an App that listens; each payload is validated. */
export type ToldWorld = {
  readonly world: World;
  readonly faults: Faults;
  readonly hooks: Hooks;
  readonly receiver: Receiver;
  readonly repository: Repository;
  readonly app: App;
  readonly installation: Installation;
  /** A path for one more bare repository. */
  gitDir(name: string): string;
  anApp(name: string, events: string[], url?: string): App;
  anIssue(title?: string): Issue;
  aPull(branch: string): Promise<PullIssue>;
  push(branch: string, files: Record<string, string>): Promise<void>;
  close(): Promise<void>;
};

export async function aToldWorld(options: { readonly timeoutMs?: number } = {}): Promise<ToldWorld> {
  const root = await mkdtemp(join(tmpdir(), "playground-hooks-"));
  const world = createWorld({ clock: { now: () => NOW }, git: createModelGit() });
  world.github.url = "http://127.0.0.1:4000";
  const faults = createFaults(world);
  const receiver = await startReceiver();
  const gitDir = (name: string): string => join(root, `${name}.git`);
  createUser(world, { login: "acme", type: "Organization" });
  const at = { owner: "acme", name: "app", gitDir: gitDir("app") };
  const repository = await createRepository(world, { ...at, files: { "a.txt": "a\n" } });
  const permissions = { checks: "write", contents: "write" } as const;
  const anApp = (name: string, events: string[], url = receiver.url): App => {
    const about = { name, owner: "acme", events, permissions, publicKey: "none" };
    return createApp(world, { ...about, webhookUrl: `${url}/hooks`, webhookSecret: SECRET }).app;
  };
  const app = anApp("Loom", EVERY_EVENT);
  const installation = install(world, app, { account: "acme" });
  const hooks = startHooks(world, faults, options);
  hooks.inspect = validate;
  const push = async (branch: string, files: Record<string, string>): Promise<void> => {
    const before = await world.git.tip(repository.gitDir, branch);
    const author = { name: "Ann", email: "ann@example.com" };
    const commit = { author, message: "Work", from: "main" };
    const after = await commitFiles(repository.gitDir, branch, files, commit);
    await afterPush(world, repository, [{ ref: `refs/heads/${branch}`, before, after }], { by: "ann" });
  };
  return {
    ...{ world, faults, hooks, receiver, repository, app, installation, gitDir, anApp, push },
    anIssue: (title = "It breaks") => openIssue(world, repository, { by: "ann", title }),
    async aPull(branch) {
      await push(branch, { [`${branch}.txt`]: "x\n" });
      return await openPull(world, repository, { by: "ann", title: branch, head: branch, base: "main" });
    },
    async close() {
      await hooks.close();
      await receiver.close();
      await rm(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
