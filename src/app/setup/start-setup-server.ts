import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { auditTexts } from "../../core/report/audit/audit-texts.ts";
import type { Audit } from "../../ports/audit.ts";
import { answerHtml, answerText, pathOf } from "../answer.ts";
import { type ListeningServer, listen } from "../listen.ts";
import type { AppLog } from "../open-app-log.ts";
import type { ServerEnv } from "../read-app-env.ts";
import { baseUrlOf, isLocal } from "./base-url-of.ts";
import { buildManifest } from "./build-manifest.ts";
import { convertManifestCode, type RegisteredApp } from "./convert-manifest-code.ts";
import { renderNotice, renderSetupPage } from "./render-setup-page.ts";

export type SetupOptions = {
  readonly env: ServerEnv;
  /** The content of app.yml, parsed. */
  readonly appFile: unknown;
  /** How GitHub and browsers reach this server; from the request when null. */
  readonly publicUrl: string | null;
  /** Where webhooks go instead, as with a tunnel; to this server when null. */
  readonly hookUrl: string | null;
  /** The organisation that is to own the App; the person who is signed in when null. */
  readonly organization: string | null;
  /** Keeps what GitHub hands out only once. */
  readonly save: (app: RegisteredApp) => Promise<void>;
  readonly log: AppLog;
  readonly audit: Audit;
};

export type SetupServer = ListeningServer & {
  /** What to open in a browser. */
  readonly url: string;
  /** Resolves when the App is registered and saved. */
  readonly registered: Promise<RegisteredApp>;
};

const NOTHING = "Nothing here. Loom is being set up.";

/**
 * Registers an App through GitHub's manifest flow, on the paths that Probot uses for it. It is Loom's own because
 * Probot's cannot be imported on its own, sends webhooks to `/`, where nothing listens, fetches a package from the
 * network on the way, and lets anybody who reaches the port hand in an App of theirs: Loom would then work for them, at
 * the operator's expense. So the page opens with a key only, shown on the operator's terminal, and GitHub has to bring
 * the same key back.
 */
export async function startSetupServer(options: SetupOptions): Promise<SetupServer> {
  const { env, log, audit } = options;
  const key = randomBytes(24).toString("hex");
  let phase: "open" | "converting" | "done" = "open";
  let finish: (app: RegisteredApp) => void = () => {};
  const registered = new Promise<RegisteredApp>((resolve) => {
    finish = resolve;
  });

  function showForm(request: IncomingMessage, response: ServerResponse): void {
    const baseUrl = options.publicUrl ?? baseUrlOf(request);
    const manifest = buildManifest(options.appFile, { baseUrl, hookUrl: options.hookUrl });
    const owner =
      options.organization === null ? "" : `/organizations/${encodeURIComponent(options.organization)}`;
    const warning =
      isLocal(baseUrl) && options.hookUrl === null && !isLocal(env.githubUrl)
        ? "GitHub can't send webhooks to this address. Start Loom with LOOM_URL set to an address that GitHub can reach, or with WEBHOOK_PROXY_URL set to a tunnel's."
        : null;
    const action = `${env.githubUrl}${owner}/settings/apps/new?state=${key}`;
    answerHtml(response, 200, renderSetupPage({ action, manifest, warning }));
  }

  function refuse(): void {
    audit.refused({ boundary: "setup", rule: "secret", what: auditTexts.setup.secret });
  }

  async function register(code: string, response: ServerResponse): Promise<void> {
    if (phase !== "open")
      return answerHtml(
        response,
        409,
        renderNotice("Set up already", "The App is registered. Close this page."),
      );
    phase = "converting";
    try {
      const app = await convertManifestCode(env.baseUrl, code);
      await options.save(app);
      phase = "done";
      response.writeHead(303, { location: `${app.html_url}/installations/new` }).end();
      response.once("close", () => finish(app));
    } catch (error) {
      phase = "open";
      log.error({ err: error }, "GitHub did not hand out the App, or it could not be saved.");
      const text =
        "GitHub did not hand out the App, or it could not be saved; the log has the reason. Start again.";
      answerHtml(response, 502, renderNotice("That did not work", text));
    }
  }

  const server = await listen({
    port: env.port,
    host: env.host,
    onError: (error) => log.error(error),
    audit,
    async answer(request, response) {
      const path = pathOf(request);
      if (request.method !== "GET") return answerText(response, 405, "Only GET here.");
      if (path === "/healthz") return answerText(response, 200, "ok");
      if (path === "/readyz") return answerText(response, 503, "There is no App yet.");
      // Such as `//`, which has a path and is no address.
      const target = request.url ?? "/";
      if (!URL.canParse(target, "http://localhost")) return answerText(response, 404, NOTHING);
      const query = new URL(target, "http://localhost").searchParams;
      if (path === "/" || path === "/probot") {
        if (isKey(key, query.get("key"))) return showForm(request, response);
        refuse();
        const text = "Loom is being set up. Open the address that it printed on its terminal.";
        return answerHtml(response, 403, renderNotice("Set up Loom", text));
      }
      if (path === "/probot/setup") {
        const code = query.get("code") ?? "";
        if (isKey(key, query.get("state")) && /^[\w-]{1,200}$/.test(code)) return register(code, response);
        refuse();
        const text = "This set-up was not started here.";
        return answerHtml(response, 403, renderNotice("Not from here", text));
      }
      answerText(response, 404, NOTHING);
    },
  });
  const shown = env.host === "0.0.0.0" || env.host === "::" ? "localhost" : env.host;
  const base = options.publicUrl ?? `http://${shown.includes(":") ? `[${shown}]` : shown}:${server.port}`;
  return { ...server, url: `${base}/probot?key=${key}`, registered };
}

function isKey(key: string, given: string | null): boolean {
  const [a, b] = [Buffer.from(key), Buffer.from(given ?? "")];
  return a.length === b.length && timingSafeEqual(a, b);
}
