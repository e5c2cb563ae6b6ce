import { copyFileSync } from "node:fs";
import { join } from "node:path";
import type { HostPrograms } from "../../../os/host-programs.ts";
import { relayFile } from "../../gateway/program-files.ts";
import { limitsPrelude } from "../limits/limits.ts";
import { type Ids, nodeRelay } from "./relay-command.ts";
import { wordsToSetApart } from "./set-apart.ts";
import { type Entry, possibleShelters, type Shelter, type Starter } from "./starter.ts";

/** Where bubblewrap finds its filter of system calls. */
const FILTER_FD = 4;

/** By the tools of the system, one after the other, with a relay in Node: for machines without Perl. */
export function shellStarter(host: HostPrograms, ids: Ids): Starter {
  const [unshare, mount] = [host.tool("unshare"), host.tool("mount")];
  const apart = wordsToSetApart(host, ids);
  const shelter = (kind: Shelter): { readonly words: readonly string[]; readonly script: string } => {
    if (kind === "none" || unshare === null || mount === null) return { words: [], script: "" };
    const program = `'${mount.replaceAll("'", "'\\''")}'`;
    return {
      words: [unshare, ...(kind === "mapped" ? ["-r"] : []), "-m"],
      script: `${program} --rbind /dev /dev && ${program} -o remount,bind,ro /dev || exit 125; `,
    };
  };
  return {
    shelters: unshare === null || mount === null ? ["none"] : possibleShelters(),
    setsApart: apart !== null,

    enter(entry: Entry, inside) {
      const { words, script } = shelter(entry.shelter);
      const prelude = `trap '' TERM; ${entry.limits === null ? "" : `${limitsPrelude(entry.limits)}; `}`;
      const open = entry.filter === null ? 'exec 3<"$0"' : `exec 3<"$0" ${FILTER_FD}<"$1"`;
      const [first = "", ...rest] = [
        ...(entry.group?.enter ?? []),
        ...words,
        ...["/bin/sh", "-c", `${prelude}${script}${open} && shift && exec "$@"`],
        ...[entry.words, entry.filter ?? "", entry.program, "--args", "3"],
        ...(entry.filter === null ? [] : ["--seccomp", String(FILTER_FD)]),
        ...["--", ...inside],
      ];
      return [first, ...rest];
    },

    relay(folder, node, isApart) {
      const file = join(folder, "relay.mjs");
      copyFileSync(relayFile(), file);
      return nodeRelay(node, file, isApart ? (apart ?? []) : []);
    },

    trial(_, isApart) {
      const [first = "true", ...rest] = [...(isApart ? (apart ?? []) : []), "true"];
      return { inside: [first, ...rest], mounts: [] };
    },
  };
}
