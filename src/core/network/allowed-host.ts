import { canonicalHost, isAddress, writeHost } from "./canonical-host.ts";

/** One line of an allow-list, such as `example.org`, `*.example.org`, `example.org:8443` or `*`. */
export type HostRule = {
  /** `below`: every name that ends in `.host`, but not `host` itself. */
  readonly kind: "exact" | "below" | "any";
  /** In its canonical spelling; empty for `any`. */
  readonly host: string;
  /** null: 80 and 443. */
  readonly port: number | null;
};

export type HostRuleReading =
  | { readonly kind: "rule"; readonly rule: HostRule }
  | { readonly kind: "problem"; readonly message: string };

export function readHostRule(text: string): HostRuleReading {
  const shown = JSON.stringify(text);
  const written = text.trim();
  if (written === "") return problem("An empty text names no host; write a name such as `example.org`.");
  if (written.includes("://")) {
    return problem(`${shown} is an address; write the host alone, such as \`example.org\`.`);
  }
  if (written.includes("/")) return problem(`${shown} holds a path; rules are about whole hosts.`);
  const { host, port } = splitPort(written);
  if (port === "bad") return problem(`${shown} has no usable port; ports are numbers from 1 to 65535.`);
  if (host === "*") return { kind: "rule", rule: { kind: "any", host: "", port } };
  const isBelow = host.startsWith("*.");
  const name = isBelow ? host.slice(2) : host;
  if (name.includes("*")) {
    return problem(`${shown} has a star where none can be; write \`*.example.org\` or \`*\`.`);
  }
  if (!name.startsWith("[") && name.includes(":")) {
    return problem(`${shown} is not a host; an IPv6 address stands in brackets, such as \`[2001:db8::1]\`.`);
  }
  const canonical = canonicalHost(name);
  if (canonical === null) return problem(`${shown} is not a host; write a name such as \`example.org\`.`);
  if (isBelow && isAddress(canonical)) return problem(`${shown} has a star before an address.`);
  return { kind: "rule", rule: { kind: isBelow ? "below" : "exact", host: canonical, port } };
}

/** The rule that lets a canonical host through, an exact one before a wider one; null when none does. */
export function findHostRule(rules: readonly HostRule[], host: string, port: number): HostRule | null {
  const matching = rules.filter((rule) => matchesHost(rule, host) && matchesPort(rule, port));
  return matching.find((rule) => rule.kind === "exact") ?? matching[0] ?? null;
}

/** How a rule for just this host and port is written. */
export function writeHostRule(host: string, port: number): string {
  return isUsualPort(port) ? writeHost(host) : `${writeHost(host)}:${port}`;
}

function matchesHost(rule: HostRule, host: string): boolean {
  switch (rule.kind) {
    case "any":
      return true;
    case "below":
      return !isAddress(host) && host.endsWith(`.${rule.host}`);
    case "exact":
      return host === rule.host;
  }
}

function matchesPort(rule: HostRule, port: number): boolean {
  return rule.port === null ? isUsualPort(port) : rule.port === port;
}

function isUsualPort(port: number): boolean {
  return port === 80 || port === 443;
}

function splitPort(text: string): { host: string; port: number | null | "bad" } {
  const parts = /^(\[[^\]]*\]|[^:]*):([^:]*)$/.exec(text);
  if (!parts) return { host: text, port: null };
  const [, host = "", digits = ""] = parts;
  const port = /^\d{1,5}$/.test(digits) ? Number(digits) : 0;
  return { host, port: port >= 1 && port <= 65_535 ? port : "bad" };
}

function problem(message: string): HostRuleReading {
  return { kind: "problem", message };
}
