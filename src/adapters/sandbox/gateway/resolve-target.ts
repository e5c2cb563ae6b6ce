import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { findHostRule, type HostRule, writeHostRule } from "../../../core/network/allowed-host.ts";
import { canonicalHost, isAddress } from "../../../core/network/canonical-host.ts";
import { isInNetworks } from "../../../core/network/own-network.ts";
import { isPrivateHost } from "../../../core/network/private-host.ts";
import { isLoopbackAddress, isPublicAddress } from "../../../core/network/public-address.ts";
import type { RuleOf } from "../../../core/policy/boundaries.ts";
import { explainNetworkError } from "./http/explain-network-error.ts";

export type Target =
  /** Connect to one of these and to nothing else: looked up again, the name may lead elsewhere. */
  | {
      readonly kind: "open";
      readonly addresses: readonly string[];
      readonly port: number;
      readonly name: string;
    }
  /** `name` as a rule for it would be written. */
  | {
      readonly kind: "denied";
      readonly name: string;
      readonly rule: RuleOf<"network">;
      readonly sentence: string;
    }
  | { readonly kind: "unreachable"; readonly sentence: string }
  | { readonly kind: "malformed"; readonly sentence: string };

export type Resolve = (host: string) => Promise<readonly string[]>;
export type ResolveTarget = (host: string, port: number) => Promise<Target>;

export type TargetRules = {
  /** The operator's. */
  readonly own: readonly HostRule[];
  /** Of plans and repositories. */
  readonly asked: readonly HostRule[];
};

/**
 * Where a request of the sandbox may go. Rules decide about names, and what a name leads to decides once more: it may be a
 * machine beside Loom's own, by mistake or because somebody else writes its records (T24). What is not public is open only
 * where the operator names the address itself, or `localhost`; plans and repositories can't open it in any spelling (T30).
 * The networks of this machine's interfaces are not public either, whatever their addresses, unless the operator names the
 * host that leads there.
 */
export function createTargets(
  rules: TargetRules,
  resolve: Resolve,
  ownNetworks: () => readonly string[] = networksOfMachine,
): ResolveTarget {
  const all = [...rules.own, ...rules.asked];
  return async (text, port) => {
    const host = canonicalHost(text);
    if (host === null || !(port >= 1 && port <= 65_535)) {
      return {
        kind: "malformed",
        sentence: "The proxy was asked for something that is not a host and a port.",
      };
    }
    const name = writeHostRule(host, port);
    if (findHostRule(all, host, port) === null) {
      const isPrivate = isPrivateHost(host);
      const sentence = isPrivate
        ? `${name} is not on the public internet, and ${OPERATORS_WORD}`
        : `${name} is not on the list of hosts that may be reached; to allow it, name it in \`sandbox.network\` of the plan.`;
      return { kind: "denied", name, rule: isPrivate ? "private" : "host", sentence };
    }
    const found = await find(host, resolve);
    if (typeof found === "string")
      return { kind: "unreachable", sentence: `${name} can't be reached: ${found}.` };
    const own = findHostRule(rules.own, host, port);
    const isNamed = own?.kind === "exact";
    const isOpen = (address: string): boolean =>
      (isPublicAddress(address) && (isNamed || !isInNetworks(address, ownNetworks()))) ||
      (isNamed && own.host === "localhost" && isLoopbackAddress(address)) ||
      findHostRule(rules.own, canonicalAddress(address), port)?.kind === "exact";
    const addresses = found.filter(isOpen);
    if (addresses.length > 0) return { kind: "open", addresses, port, name };
    const what = isAddress(host) ? "is not on the public internet" : "leads to no public address";
    return { kind: "denied", name, rule: "private", sentence: `${name} ${what}, and ${OPERATORS_WORD}` };
  };
}

const OPERATORS_WORD =
  "only Loom's operator can open such addresses: name the address itself in LOOM_ALLOWED_DOMAINS for agents, LOOM_SETUP_DOMAINS for set-up commands, LOOM_CHECK_DOMAINS for checks.";

/** Such as `192.168.1.5/24`. Asked for each connection, since interfaces come and go. */
function networksOfMachine(): string[] {
  return Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).map(({ cidr, address }) => cidr ?? address),
  );
}

/** Looking up a name takes one of the few threads that also read files, so a sandbox gets no more than two of them. */
export function createResolver(withinMs: number): Resolve {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (host) => {
    if (running >= 2) await new Promise<void>((next) => waiting.push(next));
    else running += 1;
    const answer = lookup(host, { all: true, verbatim: true }).finally(() => {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    });
    const found = await inTime(answer, withinMs);
    return found.map((one) => one.address);
  };
}

async function find(host: string, resolve: Resolve): Promise<readonly string[] | string> {
  if (isIP(host) !== 0) return [host];
  try {
    return await resolve(host);
  } catch (error) {
    return explainNetworkError(error);
  }
}

function canonicalAddress(address: string): string {
  return canonicalHost(address.includes(":") ? `[${address}]` : address) ?? address;
}

function inTime<T>(answer: Promise<T>, withinMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = Object.assign(new Error("the name was not looked up in time"), { code: "EAI_AGAIN" });
    const timer = setTimeout(() => reject(late), withinMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
