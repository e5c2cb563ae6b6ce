import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { findHostRule, type HostRule, writeHostRule } from "../../../core/network/allowed-host.ts";
import { canonicalHost } from "../../../core/network/canonical-host.ts";
import { isLoopbackAddress, isPublicAddress } from "../../../core/network/public-address.ts";
import { explainNetworkError } from "./explain-network-error.ts";

export type Target =
  /** Connect to one of these and to nothing else: looked up again, the name may lead elsewhere. */
  | {
      readonly kind: "open";
      readonly addresses: readonly string[];
      readonly port: number;
      readonly name: string;
    }
  /** `name` as a rule for it would be written. */
  | { readonly kind: "denied"; readonly name: string; readonly sentence: string }
  | { readonly kind: "unreachable"; readonly sentence: string }
  | { readonly kind: "malformed"; readonly sentence: string };

export type Resolve = (host: string) => Promise<readonly string[]>;
export type ResolveTarget = (host: string, port: number) => Promise<Target>;

/**
 * Where a request of the room may go. A name that people allowed may still lead to a machine beside Loom's own, by mistake
 * or because somebody else writes its records (T24): private addresses are open only where a rule names the address itself,
 * or for `localhost`.
 */
export function createTargets(rules: readonly HostRule[], resolve: Resolve): ResolveTarget {
  return async (text, port) => {
    const host = canonicalHost(text);
    if (host === null || !(port >= 1 && port <= 65_535)) {
      return {
        kind: "malformed",
        sentence: "The proxy was asked for something that is not a host and a port.",
      };
    }
    const name = writeHostRule(host, port);
    const rule = findHostRule(rules, host, port);
    if (rule === null) {
      return {
        kind: "denied",
        name,
        sentence: `${name} is not on the list of hosts that may be reached; to allow it, name it in \`sandbox.network\` of the plan.`,
      };
    }
    const found = await find(host, resolve);
    if (typeof found === "string")
      return { kind: "unreachable", sentence: `${name} can't be reached: ${found}.` };
    const isOpen = (address: string): boolean =>
      isPublicAddress(address) ||
      (rule.kind === "exact" && rule.host === "localhost" && isLoopbackAddress(address)) ||
      findHostRule(rules, canonicalAddress(address), port)?.kind === "exact";
    const addresses = found.filter(isOpen);
    if (addresses.length > 0) return { kind: "open", addresses, port, name };
    return {
      kind: "denied",
      name,
      sentence: `${name} leads to a private address, and those stay closed to names; to allow it, name the address itself in \`sandbox.network\` of the plan.`,
    };
  };
}

/** Looking up a name takes one of the few threads that also read files, so a room gets no more than two of them. */
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
