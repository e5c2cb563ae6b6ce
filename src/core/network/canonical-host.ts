/**
 * One spelling per host, or null for what is none: lower case, no trailing dot, names of other scripts in punycode, IPv4 in
 * four decimal numbers whatever form it came in, IPv6 without brackets in its shortest form. Rules and requests are compared
 * in this spelling only, so that no other spelling of a host slips past a rule.
 */
export function canonicalHost(text: string): string | null {
  if (text.length > 255 || !HOST_CHARACTERS.test(text)) return null;
  const isBracketed = text.startsWith("[") && text.endsWith("]");
  if (isBracketed !== /[[\]:]/.test(text)) return null;
  const hostname = hostnameOf(text);
  if (hostname === null) return null;
  if (isBracketed) return hostname.slice(1, -1);
  const name = hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
  // An address can't have a dot at its end; looked at again, `127.1.` is no name either.
  if (name !== hostname && hostnameOf(name) !== name) return null;
  return isIpv4(name) || NAME.test(name) ? name : null;
}

/** As it stands in addresses and rules: IPv6 in brackets. */
export function writeHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** Of a canonical host. */
export function isAddress(host: string): boolean {
  return host.includes(":") || isIpv4(host);
}

// Whatever the parser of addresses would take for something else than a part of the host, or decode.
const HOST_CHARACTERS = /^[^\s/\\?#@%<>^|"'`{}*\u0000-\u001f\u007f]+$/;
const NAME =
  /^(?!.{254})(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

function isIpv4(host: string): boolean {
  return /^\d+\.\d+\.\d+\.\d+$/.test(host);
}

function hostnameOf(text: string): string | null {
  try {
    return new URL(`http://${text}/`).hostname;
  } catch {
    return null;
  }
}
