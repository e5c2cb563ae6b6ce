import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parse, stringify } from "yaml";
import { commitFiles } from "../../playground/git/objects/commit-files.ts";
import { createWebhookValidator } from "../../playground/hooks/webhook-validator.ts";
import { install } from "../../playground/model/apps/install.ts";
import { setWebhookUrl } from "../../playground/model/apps/set-webhook-url.ts";
import type { PullIssue } from "../../playground/model/find.ts";
import { addComment } from "../../playground/model/issues/add-comment.ts";
import { addLabel } from "../../playground/model/issues/add-label.ts";
import { closeIssue } from "../../playground/model/issues/close-issue.ts";
import { openIssue } from "../../playground/model/issues/open-issue.ts";
import { removeLabel } from "../../playground/model/issues/remove-label.ts";
import { createRepository, type NewRepository } from "../../playground/model/people/create-repository.ts";
import { createUser } from "../../playground/model/people/create-user.ts";
import { setRole } from "../../playground/model/people/set-role.ts";
import { afterPush } from "../../playground/model/pulls/after-push.ts";
import { mergePull } from "../../playground/model/pulls/merge-pull.ts";
import { submitReview } from "../../playground/model/reviews/submit-review.ts";
import type { Installation, Issue, MergeMethod, Repository } from "../../playground/model/types.ts";
import { createOpenApiValidator } from "../../playground/rest/validate/create-open-api-validator.ts";
import {
  type AppCredentials,
  type Playground,
  registerApp,
  startPlayground,
} from "../../playground/server.ts";
import { openAppLog } from "../../src/app/open-app-log.ts";
import { startAppServer } from "../../src/app/start-app-server.ts";
import { repoId } from "../../src/core/ids.ts";
import type { AuditFields } from "../../src/core/report/audit/audit-fields.ts";
import type { Run } from "../../src/core/run/run.ts";
import type { RepoEngine } from "../../src/engine/github/host.ts";
import { type Hosted, openHosted } from "../../src/wiring/hosted/hosted.ts";
import { startHostedWorker } from "../../workers/start-hosted-worker.ts";
import { APP_KEY } from "./app-key.ts";
import { HANGS_AFTER_MS } from "./living-processes.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const manifest = parse(readFileSync(join(ROOT, "app.yml"), "utf8"));
let openApi: ReturnType<typeof createOpenApiValidator> | null = null;
let webhooks: ReturnType<typeof createWebhookValidator> | null = null;

/** Who is who: ada owns the repository, wes may write, tia triages, rae reads, sam is a stranger. */
export const PEOPLE = { ada: "admin", mia: "maintain", wes: "write", tia: "triage", rae: "read" } as const;

export type WorldOptions = {
  readonly files?: Readonly<Record<string, string>>;
  /** `.github/loom.yml`, as an object. */
  readonly config?: unknown;
  /** What the scripted agent does: steps by stage. */
  readonly script?: Readonly<Record<string, unknown>>;
  /** What it says when it plans, answers or audits: steps by purpose. */
  readonly tasks?: Readonly<Record<string, unknown>>;
  readonly repository?: Partial<NewRepository>;
  readonly env?: Readonly<Record<string, string>>;
  /** An own process is started by the test; here only GitHub is. */
  readonly loom?: boolean;
  /** How long Loom gathers news before it shows them; as good as nothing unless told. */
  readonly showAfterMs?: number;
};

/**
 * A GitHub with one repository, and Loom installed in it: a person does something, Loom reacts, and one looks at what a
 * person would see. Every request and every webhook is held against GitHub's own descriptions; `close` fails when one of
 * them did not fit.
 */
export async function aGitHubWorld(options: WorldOptions = {}): Promise<GitHubWorld> {
  const folder = await mkdtemp(join(tmpdir(), "loom-world-"));
  const problems: string[] = [];
  openApi ??= createOpenApiValidator();
  webhooks ??= createWebhookValidator();
  const validator = openApi;
  const github = await startPlayground({
    inspect: ({ method, route, path, query, requestBody, status, responseBody }) => {
      const input = method === "GET" || method === "DELETE" ? query : requestBody;
      problems.push(...validator.check(method, route ?? path, input, status, responseBody));
    },
    inspectWebhook: webhooks,
  });
  const { world } = github;
  // Loom writes without pauses here (`LOOM_WRITE_PAUSE_MS`), which GitHub would not put up with for long.
  Object.assign(world.github.limits, { contentPerMinute: 10_000, pointsPerMinute: 100_000 });
  for (const login of [...Object.keys(PEOPLE), "sam"]) createUser(world, { login });
  const repository = await createRepository(world, {
    owner: "ada",
    name: "tools",
    gitDir: github.gitDir("ada", "tools"),
    ...options.repository,
    files: {
      "README.md": "# Tools\n",
      ...(options.config === undefined ? {} : { ".github/loom.yml": stringify(options.config) }),
      ...options.files,
    },
  });
  for (const [login, role] of Object.entries(PEOPLE)) setRole(world, repository, { login, role });
  const script = join(folder, "script.yaml");
  await writeFile(
    script,
    stringify({ stages: options.script ?? {}, ...(options.tasks ? { tasks: options.tasks } : {}) }),
  );
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    LOOM_DATA: join(folder, "data"),
    LOOM_SCRIPT: script,
    LOOM_WRITE_PAUSE_MS: "0",
    LOOM_RETRY_BACKOFF: "0,0",
    LOOM_SANDBOX: "off",
    ...options.env,
  };
  // The App has to be known before Loom can say where it listens, so its address is filled in afterwards.
  const credentials = registerApp(world, {
    webhookUrl: null,
    permissions: manifest.default_permissions,
    events: manifest.default_events,
    keys: APP_KEY,
  });
  const installation = install(world, credentials.app, { account: "ada", repositories: [repository] });
  const { showAfterMs = 10 } = options;
  const parts = { folder, problems, github, repository, credentials, installation, env, showAfterMs };
  const loom = options.loom === false ? null : await startLoom(parts);
  return createWorldHandle(parts, loom);
}

type Parts = {
  readonly folder: string;
  readonly problems: string[];
  readonly github: Playground;
  readonly repository: Repository;
  readonly credentials: AppCredentials;
  readonly installation: Installation;
  readonly env: Readonly<Record<string, string>>;
  readonly showAfterMs: number;
};

export type RunningLoom = {
  readonly hosted: Hosted;
  readonly warnings: string[];
  /** What was refused, as the log has it for programs. */
  readonly audits: AuditFields[];
  stop(): Promise<void>;
};

/** What `loom app` does, in this process. */
async function startLoom({ github, credentials, env, folder, showAfterMs }: Parts): Promise<RunningLoom> {
  const warnings: string[] = [];
  const audits: AuditFields[] = [];
  const hosted = await openHosted({
    env,
    cwd: folder,
    app: {
      appId: credentials.appId,
      privateKey: credentials.privateKeyPem,
      baseUrl: github.apiUrl,
      githubUrl: github.url,
    },
    warn: (message, error) => warnings.push(error instanceof Error ? `${message}: ${error.stack}` : message),
    writeAudit(fields, message) {
      audits.push(fields);
      warnings.push(message);
    },
    showAfterMs,
  });
  const worker = startHostedWorker(hosted.host, { maxStages: 4, labels: [], sweepMs: 3_600_000 });
  const server = await startAppServer({
    app: {
      appId: credentials.appId,
      privateKey: credentials.privateKeyPem,
      webhookSecret: credentials.webhookSecret,
      baseUrl: github.apiUrl,
    },
    // Nothing sweeps here, so a delivery that is refused because the machine is slow would be lost for good.
    intake: { intake: hosted.store.intake, appId: credentials.appId, storeTimeoutMs: HANGS_AFTER_MS },
    port: 0,
    host: "127.0.0.1",
    health: async () => ({ parts: [] }),
    audit: hosted.audit,
    log: await openAppLog({
      level: "error",
      format: "json",
      secrets: [],
      write: (text) => void warnings.push(text),
    }),
  });
  setWebhookUrl(credentials.app, `http://127.0.0.1:${server.port}/api/github/webhooks`);
  return {
    hosted,
    warnings,
    audits,
    async stop() {
      worker.stop();
      await server.close();
      await hosted.close();
    },
  };
}

export type GitHubWorld = ReturnType<typeof createWorldHandle>;

function createWorldHandle(parts: Parts, started: RunningLoom | null) {
  const { github, repository, credentials, problems, folder } = parts;
  const { world } = github;
  let loom = started;

  const get = (number: number): Issue => {
    const issue = repository.issues.get(number);
    if (!issue) throw new Error(`there is no #${number}`);
    return issue;
  };
  const getPull = (number: number): PullIssue => {
    const issue = get(number);
    if (!issue.pull) throw new Error(`#${number} is no pull request`);
    return issue as PullIssue;
  };

  async function until<T>(look: () => T | Promise<T>, what: string): Promise<NonNullable<T>> {
    const end = Date.now() + HANGS_AFTER_MS;
    for (;;) {
      const found = await look();
      if (found) return found;
      if (Date.now() > end)
        throw new Error(`gave up waiting: ${what}\n${(loom?.warnings ?? []).join("\n")}\n${describe()}`);
      await new Promise((done) => setTimeout(done, 10));
    }
  }

  function describe(): string {
    return [...repository.issues.values()]
      .map(
        (issue) =>
          `#${issue.number} ${issue.state} ${issue.pull?.merged ? "merged " : ""}[${issue.labels}] ${issue.title}\n` +
          issue.comments.map(({ author, body }) => `   ${author}: ${body.slice(0, 400)}`).join("\n"),
      )
      .join("\n");
  }

  async function engine(): Promise<RepoEngine> {
    const found = await loom?.hosted.host.repository(repoId(repository.id));
    if (!found) throw new Error("Loom knows nothing of the repository");
    return found;
  }

  return {
    ...parts,
    world,
    until,
    describe,
    get,
    get loom(): RunningLoom {
      if (!loom) throw new Error("Loom does not run");
      return loom;
    },
    engine,
    /** The bot's name. */
    bot: credentials.app.bot,
    issue(issue: { title?: string; body?: string; by?: string } = {}): number {
      return openIssue(world, repository, {
        by: issue.by ?? "wes",
        title: issue.title ?? "Count words",
        body: issue.body ?? "",
      }).number;
    },
    /** GitHub's number of a person. */
    idOf: (login: string): number => world.github.users.get(login)?.id ?? 0,
    comment(number: number, body: string, by = "wes"): number {
      return addComment(world, repository, get(number), { by, body }).id;
    },
    label(number: number, label: string, by = "wes"): void {
      addLabel(world, repository, get(number), { by, label });
    },
    unlabel(number: number, label: string, by = "wes"): void {
      removeLabel(world, repository, get(number), { by, label });
    },
    async merge(number: number, by = "wes", method: MergeMethod = "squash"): Promise<string> {
      return (await mergePull(world, repository, getPull(number), { by, method })).sha;
    },
    close(number: number, by = "wes"): void {
      closeIssue(world, repository, get(number), { by });
    },
    review(number: number, by = "mia"): void {
      submitReview(world, repository, getPull(number), { by, state: "APPROVED" });
    },
    /** Somebody pushes. */
    async push(branch: string, files: Record<string, string>, by = "wes", from = "main"): Promise<string> {
      const before = await world.git.tip(repository.gitDir, branch);
      const after = await commitFiles(repository.gitDir, branch, files, {
        author: { name: by, email: `${by}@example.com` },
        message: `Work of ${by}`,
        from: `refs/heads/${from}`,
      });
      await afterPush(world, repository, [{ ref: `refs/heads/${branch}`, before, after }], { by });
      return after;
    },
    /** Comments of Loom's on an issue or a pull request, oldest first. */
    said(number: number): string[] {
      return get(number)
        .comments.filter(({ author }) => author === credentials.app.bot)
        .map(({ body }) => body);
    },
    /** The reply to a comment: what Loom said last that is not the panel. */
    async reply(number: number, count = 1): Promise<string> {
      const replies = (): string[] => this.said(number).filter((body) => !body.includes("loom:panel"));
      await until(() => replies().length >= count, `reply ${count} on #${number}`);
      return replies()[count - 1] ?? "";
    },
    pulls(): Issue[] {
      return [...repository.issues.values()].filter(({ pull }) => pull !== null);
    },
    /** The pull request of a stage, once there is one. */
    async stagePull(stage: string): Promise<Issue> {
      return until(
        () => this.pulls().find(({ pull }) => pull?.headRef.endsWith(`/${stage}`)),
        `a pull request for ${stage}`,
      );
    },
    async planPull(): Promise<Issue> {
      return until(() => this.pulls().find(({ pull }) => pull?.headRef.endsWith(".plan")), "a plan");
    },
    async runs(): Promise<Run[]> {
      const one = await engine();
      const loaded = await Promise.all((await one.store.list()).map((id) => one.runs.load(id)));
      return loaded.filter((run) => run !== null);
    },
    /** The newest run, once it is as expected. */
    async run(is: (run: Run) => boolean = () => true, what = "a run"): Promise<Run> {
      return until(async () => (await this.runs()).findLast(is), what);
    },
    /** What is at a path of a branch. */
    async file(path: string, branch = "main"): Promise<string | null> {
      const tip = await world.git.tip(repository.gitDir, branch);
      const entry = tip === null ? null : await world.git.entry(repository.gitDir, tip, path);
      const bytes = entry ? await world.git.blob(repository.gitDir, entry.sha) : null;
      return bytes === null ? null : Buffer.from(bytes).toString();
    },
    async stopLoom(): Promise<void> {
      await loom?.stop();
      loom = null;
    },
    async startLoom(): Promise<void> {
      loom = await startLoom(parts);
    },
    async end(): Promise<void> {
      await loom?.stop();
      await github.hooks.whenDelivered();
      await github.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
      const unknown = [...world.unknownPaths];
      if (problems.length > 0 || unknown.length > 0 || github.errors.length > 0)
        throw new Error(
          `GitHub would not have it so:\n${[...new Set([...problems, ...unknown, ...github.errors.map(String)])].slice(0, 20).join("\n")}`,
        );
    },
  };
}

/** A plan document from stages written as an object. */
export function planDocument(
  stages: readonly unknown[],
  more: Readonly<Record<string, unknown>> = {},
): string {
  return `# A plan\n\n\`\`\`yaml\n${stringify({ loom: { version: 1, ...more, stages } })}\`\`\`\n`;
}
