import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { kernelLimits } from "../limits/limits.ts";
import { PERL, perlPrograms } from "./perl-programs.ts";
import { type Ids, perlRelay } from "./relay-command.ts";
import { possibleShelters, type Starter } from "./starter.ts";

/** By two small programs in Perl; null where the system has none, or on machines that they don't know. */
export function perlStarter(ids: Ids): Starter | null {
  const programs = perlPrograms(process.arch);
  if (programs === null || !existsSync(PERL)) return null;
  const relay: Starter["relay"] = (folder, _, isApart) => {
    const file = join(folder, "relay.pl");
    writeFileSync(file, programs.relay, { mode: 0o444 });
    return perlRelay(file, isApart ? ids : null);
  };
  return {
    shelters: possibleShelters(),
    setsApart: true,
    relay,

    enter({ program, shelter, words, filter, limits, group }, inside) {
      const held = limits === null ? null : kernelLimits(limits);
      const most = Number.MAX_SAFE_INTEGER;
      return [
        ...([PERL, "-f", "-e", programs.enter, words, filter ?? "", shelter] as const),
        ...[String(held?.fileBytes ?? most), String(held?.threads ?? most)],
        ...[...(group?.folders ?? []), "--", program, ...inside],
      ];
    },

    trial(folder, isApart) {
      const { argv } = relay(folder, "", isApart).command({
        socket: "/nowhere",
        token: "trial",
        program: { argv: ["true"], env: {} },
      });
      const file = join(folder, "relay.pl");
      return { inside: argv, mounts: [{ kind: "read", from: file, at: file }] };
    },
  };
}
