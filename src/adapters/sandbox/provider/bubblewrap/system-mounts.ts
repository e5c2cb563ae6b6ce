import { lstatSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { isWithin } from "../../../os/is-within.ts";
import type { Mount } from "./mounts.ts";

// On most systems they are links into /usr.
const ROOT = ["/bin", "/sbin", "/lib", "/lib32", "/libx32", "/lib64"];

/** What compilers, interpreters and TLS look up. Nothing with keys, accounts or settings that hold passwords. */
const ETC = [
  "alternatives",
  "ca-certificates",
  "ca-certificates.conf",
  "crypto-policies",
  "debian_version",
  "fonts",
  "inputrc",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "locale.alias",
  "localtime",
  "lsb-release",
  "magic",
  "mime.types",
  "os-release",
  "perl",
  "pki/ca-trust",
  "pki/tls/cert.pem",
  "pki/tls/certs",
  "pki/tls/openssl.cnf",
  "protocols",
  "redhat-release",
  "services",
  "ssl/cert.pem",
  "ssl/certs",
  "ssl/openssl.cnf",
  "terminfo",
  "timezone",
];
const ETC_FAMILIES = /^(?:java|python3|php|ruby|maven|gradle)[\w.-]*$/;

/** Programs and libraries of the machine. `hidden` are folders that must not be shown, nor anything that holds them. */
export function systemMounts(hidden: readonly string[]): Mount[] {
  const mounts: Mount[] = [{ kind: "read", from: "/usr", at: "/usr" }];
  for (const path of ROOT) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) mounts.push({ kind: "link", to: readlinkSync(path), at: path });
    else if (found?.isDirectory()) mounts.push({ kind: "read", from: path, at: path });
  }
  for (const name of list("/opt")) {
    const path = join("/opt", name);
    if (isForEveryone(path) && !hidden.some((one) => isWithin(one, path))) {
      mounts.push({ kind: "read", from: path, at: path });
    }
  }
  for (const name of [...ETC, ...list("/etc").filter((one) => ETC_FAMILIES.test(one))]) {
    const path = join("/etc", name);
    const link = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : null;
    // A link into what is shown stays a link; through one to elsewhere only the file itself is shown.
    if (link?.startsWith("/usr/") || link?.startsWith("../usr/"))
      mounts.push({ kind: "link", to: link, at: path });
    else if (isForEveryone(path)) mounts.push({ kind: "read", from: path, at: path });
  }
  return mounts;
}

/** In a sandbox that root opened, its programs could read what only root may. */
function isForEveryone(path: string): boolean {
  try {
    const found = statSync(path);
    return (found.mode & (found.isDirectory() ? 0o005 : 0o004)) === (found.isDirectory() ? 0o005 : 0o004);
  } catch {
    return false;
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
