import type { ProcessSpec } from "../../../../ports/process-supervisor.ts";
import type { SandboxProcess } from "../../../../ports/sandbox.ts";
import { RELAY_PORT } from "../../gateway/program-files.ts";
import { PERL } from "./perl-programs.ts";

export type RelayStart = {
  readonly socket: string;
  readonly token: string;
  /** `env` is the whole environment of the program. */
  readonly program: Pick<SandboxProcess, "argv" | "env">;
};

export type RelayCommand = {
  /** What starts the relay, and the program behind it. */
  command(start: RelayStart): Pick<ProcessSpec, "argv" | "env">;
  /** How its command line begins until it has taken the token out of it. */
  readonly starter: string;
};

/** `apart`: words before the program by which it can't get at the relay. */
export function nodeRelay(node: string, file: string, apart: readonly string[]): RelayCommand {
  return {
    starter: process.execPath,
    command({ socket, token, program }) {
      const [own, others] = divide(program.env, "NODE_");
      const words = [
        JSON.stringify(apart),
        ...(own.length === 0 ? [] : [JSON.stringify(Object.fromEntries(own))]),
      ];
      return {
        argv: [node, file, socket, token, ...words, "--", ...program.argv],
        env: Object.fromEntries(others),
      };
    },
  };
}

/**
 * What tells the relay's own interpreter what to load is for the program alone: the relay would run it, and a file that is to
 * be loaded once would not be loaded a second time, where it was meant to be.
 */
function divide(env: SandboxProcess["env"], prefix: string): [[string, string][], [string, string][]] {
  const all = Object.entries(env ?? {});
  const isOwn = ([name]: [string, string]): boolean => name.startsWith(prefix);
  return [all.filter(isOwn), all.filter((one) => !isOwn(one))];
}

export type Ids = { readonly uid: number; readonly gid: number };

/** `apart`: who the program is in the user namespace that keeps it from the relay; null: it gets none. */
export function perlRelay(file: string, apart: Ids | null, port: number = RELAY_PORT): RelayCommand {
  return {
    starter: PERL,
    command({ socket, token, program }) {
      const [own, others] = divide(program.env, "PERL");
      return {
        argv: [
          ...([PERL, "-f", file, socket, token, String(port)] as const),
          apart ? `${apart.uid}:${apart.gid}` : "-",
          ...own.map(([name, value]) => `${name}=${value}`),
          ...["--", ...program.argv],
        ],
        // It would complain about a locale that this machine does not have.
        env: { ...Object.fromEntries(others), PERL_BADLANG: "0" },
      };
    },
  };
}
