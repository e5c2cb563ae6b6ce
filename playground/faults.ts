import type { Token } from "./model/types.ts";
import type { World } from "./model/world.ts";

/**
 * What can go wrong between GitHub and those who talk with it, as data. A fault waits until something matches, fires the
 * given number of times and is spent. Each request and each webhook meets at most one fault: the oldest that matches.
 */

/** A length of time, or something to wait for. */
export type Wait = { readonly ms: number } | { readonly until: Promise<unknown> };

export type RequestEffect =
  /** Nothing happens, the answer is an error. */
  | {
      readonly kind: "fail";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  /** It happens, and the answer is an error all the same. */
  | { readonly kind: "fail-after-applying"; readonly status: number }
  | ({ readonly kind: "delay" } & Wait)
  /** The connection is cut, before or after it happened. */
  | { readonly kind: "hang-up"; readonly afterApplying?: boolean }
  | { readonly kind: "rate-limit"; readonly secondary: boolean; readonly retryAfter: number };

export type RequestFault = {
  readonly on: "request";
  readonly match: {
    readonly method?: string;
    /** Of the API, as its description writes it: `/repos/{owner}/{repo}/pulls`. */
    readonly route?: string;
    /** On the whole path, for git and pages: `/\/git-receive-pack$/`. */
    readonly path?: RegExp;
  };
  /** 1 unless told; Infinity never ends. */
  readonly times?: number;
  readonly effect: RequestEffect;
};

export type WebhookEffect =
  /** It never arrives; GitHub notes a failed delivery. */
  | { readonly kind: "drop" }
  /** It arrives this many times at once, each with the same guid. */
  | { readonly kind: "duplicate"; readonly copies: number }
  /** It is held until the next one to that App has arrived. */
  | { readonly kind: "reorder" }
  /** It arrives later; those behind it overtake it. */
  | ({ readonly kind: "delay" } & Wait);

export type WebhookFault = {
  readonly on: "webhook";
  readonly event: string;
  readonly action?: string;
  readonly times?: number;
  readonly effect: WebhookEffect;
};

export type Fault = RequestFault | WebhookFault;

export type Injected = {
  readonly fault: Fault;
  /** How often it has fired. */
  fired: number;
  /** Resolves when it fires for the first time. */
  readonly whenFired: Promise<void>;
  remove(): void;
};

export type Faults = {
  inject(fault: Fault): Injected;
  /** All that wait or have fired, oldest first. */
  readonly list: readonly Injected[];
  /** Those that never fired: a test that set one up and did not meet it proves nothing. */
  unfired(): readonly Fault[];
  clear(): void;
  /** Ends tokens now; all of them unless told which. Returns how many. */
  expireTokens(which?: (token: Token) => boolean): number;
  /** Called by the server for each request, by the sender for each webhook. */
  meetRequest(method: string, path: string): RequestFault | null;
  meetWebhook(event: string, action: string | null): WebhookEffect | null;
};

const API = "/api/v3";

export function createFaults(world: World): Faults {
  const list: (Injected & { fire(): void })[] = [];
  const meet = (matches: (fault: Fault) => boolean): Fault | null => {
    const found = list.find(({ fault, fired }) => fired < (fault.times ?? 1) && matches(fault));
    found?.fire();
    return found?.fault ?? null;
  };
  return {
    list,
    inject(fault) {
      let resolve = (): void => {};
      const whenFired = new Promise<void>((done) => {
        resolve = done;
      });
      const injected = {
        fault,
        fired: 0,
        whenFired,
        fire(): void {
          injected.fired += 1;
          resolve();
        },
        remove(): void {
          const at = list.indexOf(injected);
          if (at >= 0) list.splice(at, 1);
        },
      };
      list.push(injected);
      return injected;
    },
    unfired: () => list.filter(({ fired }) => fired === 0).map(({ fault }) => fault),
    clear() {
      list.length = 0;
    },
    expireTokens(which = () => true) {
      const now = world.clock.now();
      const live = world.github.tokens.filter((token) => token.expiresAt > now && which(token));
      for (const token of live) token.expiresAt = now;
      return live.length;
    },
    meetRequest(method, path) {
      const fault = meet((one) => one.on === "request" && matchesRequest(one, method, path));
      return fault?.on === "request" ? fault : null;
    },
    meetWebhook(event, action) {
      const fault = meet((one) => one.on === "webhook" && matchesWebhook(one, event, action));
      return fault?.on === "webhook" ? fault.effect : null;
    },
  };
}

function matchesRequest({ match }: RequestFault, method: string, path: string): boolean {
  if (match.method !== undefined && match.method.toUpperCase() !== method) return false;
  if (match.path !== undefined && !match.path.test(path)) return false;
  if (match.route === undefined) return true;
  return path.startsWith(`${API}/`) && routePattern(match.route).test(path.slice(API.length));
}

function matchesWebhook(fault: WebhookFault, event: string, action: string | null): boolean {
  return fault.event === event && (fault.action === undefined || fault.action === action);
}

/** `{ref}` and `{path}` at the end take slashes, as in the API. */
function routePattern(route: string): RegExp {
  const source = route
    .split("/")
    .map((part, index, parts) => {
      const last = index === parts.length - 1;
      if (last && (part === "{ref}" || part === "{path}")) return ".+";
      return part
        .split(/\{[^{}]*\}/)
        .map(escapeText)
        .join("[^/]+");
    })
    .join("/");
  return new RegExp(`^${source}$`);
}

function escapeText(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** Waits; `signal` ends it early when whoever waits is gone. */
export async function waitFor(wait: Wait, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = "ms" in wait ? setTimeout(done, wait.ms) : null;
    if ("until" in wait) wait.until.then(done, done);
    signal.addEventListener("abort", done);
    function done(): void {
      if (timer) clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}
