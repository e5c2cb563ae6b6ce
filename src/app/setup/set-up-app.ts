import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { UserError } from "../../core/errors.ts";
import { table } from "../../core/table.ts";
import { packageRoot } from "../../wiring/folders/package-root.ts";
import { createAuditLog } from "../../wiring/hosted/audit-log.ts";
import { writeEnvFile } from "../../wiring/settings/write-env-file.ts";
import { type AppLog, auditInLog } from "../open-app-log.ts";
import type { Env, ServerEnv } from "../read-app-env.ts";
import { startSetupServer } from "./start-setup-server.ts";

export type SetUp = {
  readonly port: number;
  /** For the terminal: what to do now. */
  readonly sentence: string;
  readonly url: string;
  /** Resolves with the variables that were written to the file, once there is an App. */
  readonly registered: Promise<Readonly<Record<string, string>>>;
  close(): Promise<void>;
};

/** `loom app` without an App: registers one, writes its key and secret to `envFile`, and tells when that is done. */
export async function setUpApp(options: {
  readonly server: ServerEnv;
  readonly env: Env;
  readonly envFile: string;
  readonly log: AppLog;
}): Promise<SetUp> {
  const { env } = options;
  await proveWritable(options.envFile);
  const saved: Record<string, string> = table();
  const audit = createAuditLog({ write: auditInLog(options.log), redact: (text) => text });
  const server = await startSetupServer({
    env: options.server,
    appFile: parse(await readFile(join(packageRoot(), "app.yml"), "utf8")),
    publicUrl: env.LOOM_URL?.replace(/(?<!\/)\/+$/, "") || null,
    hookUrl: env.WEBHOOK_PROXY_URL || null,
    organization: env.GH_ORG || null,
    log: options.log,
    audit,
    async save(app) {
      Object.assign(saved, {
        APP_ID: String(app.id),
        WEBHOOK_SECRET: app.webhook_secret,
        PRIVATE_KEY: app.pem,
      });
      await writeEnvFile(options.envFile, saved);
    },
  });
  return {
    port: server.port,
    url: server.url,
    sentence: `There is no GitHub App yet. Open ${server.url} to register one; its key will be kept in ${options.envFile}.`,
    registered: server.registered.then(() => saved),
    async close() {
      await server.close();
      audit.close();
    },
  };
}

/** GitHub shows the key once, so a file that can't be written has to be found out before. */
async function proveWritable(path: string): Promise<void> {
  try {
    await writeEnvFile(path, {});
  } catch (error) {
    throw new UserError(`The App's key is to be kept in ${path}, but that file can't be written.`, {
      next: "Make it writable, or set LOOM_ENV_FILE to another file.",
      cause: error,
    });
  }
}
