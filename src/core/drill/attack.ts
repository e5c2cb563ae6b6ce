/**
 * The attacks that `loom drill` plays. `sandbox`: by a program in a sandbox, so without one it is not played. `host`: what
 * such a program leaves behind, met by Loom's own functions outside. `settings`: what the operator's settings open.
 */
export const ATTACKS = {
  environment: "sandbox",
  processes: "sandbox",
  relay: "sandbox",
  calls: "sandbox",
  kernel: "sandbox",
  descriptors: "sandbox",
  loopback: "sandbox",
  sockets: "sandbox",
  gateway: "sandbox",
  metadata: "sandbox",
  store: "sandbox",
  home: "sandbox",
  "own-files": "sandbox",
  outside: "sandbox",
  "git-folder": "sandbox",
  model: "sandbox",
  leftovers: "sandbox",
  history: "sandbox",
  "set-up": "sandbox",
  "limit-processes": "sandbox",
  "limit-memory": "sandbox",
  "limit-disk": "sandbox",
  "limit-file": "sandbox",
  stubborn: "sandbox",
  "git-programs": "host",
  "search-path": "host",
  links: "host",
  published: "host",
  "agent-config": "host",
  "odd-names": "host",
  secrets: "host",
  "setting-sandbox": "settings",
  "setting-root": "settings",
  "setting-hosts": "settings",
  "setting-passed": "settings",
  "setting-shown": "settings",
  "setting-model": "settings",
  "setting-plain": "settings",
  "setting-path": "settings",
  "setting-data": "settings",
  "setting-keys": "settings",
  "setting-store": "settings",
  "setting-webhook": "settings",
  "setting-gate": "settings",
} as const;

export type AttackId = keyof typeof ATTACKS;
export type AttackKind = (typeof ATTACKS)[AttackId];

export const ATTACK_IDS = Object.keys(ATTACKS) as AttackId[];

export type Outcome =
  | { readonly kind: "held" }
  /** `what`: names of what was reached, never what it holds. */
  | { readonly kind: "open"; readonly why: "got-through"; readonly what: readonly string[] }
  /** Nothing is known, and a defence that nobody saw hold counts as none. */
  | { readonly kind: "open"; readonly why: "not-played"; readonly what: readonly string[] }
  | { readonly kind: "open"; readonly why: "no-sandbox" }
  | { readonly kind: "skipped"; readonly why: SkipReason };

export type SkipReason = "not-configured" | "no-perl";

export type Played = { readonly attack: AttackId; readonly outcome: Outcome };

/** Held unless something got through. */
export function outcomeOf(what: readonly string[]): Outcome {
  return what.length === 0
    ? { kind: "held" }
    : { kind: "open", why: "got-through", what: [...new Set(what)] };
}

export function notPlayed(...what: readonly string[]): Outcome {
  return { kind: "open", why: "not-played", what };
}
