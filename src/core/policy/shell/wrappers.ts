/** How a program that starts another one finds it among its words. */
export type Wrapper = {
  /** Short options with a value that can be the next word. */
  readonly valued: string;
  /** The same for long options; `--name=value` needs no mention. */
  readonly longValued: readonly string[];
  /** Words between the options and the command, such as the duration of `timeout`. */
  readonly operands: number;
  /** `NAME=value` may stand before the command. */
  readonly assigns: boolean;
  /** With one of these it starts nothing. */
  readonly only: readonly string[];
};

const PLAIN: Wrapper = { valued: "", longValued: [], operands: 0, assigns: false, only: [] };

const wrapper = (more: Partial<Wrapper>): Wrapper => ({ ...PLAIN, ...more });

const SUDO_LONG = ["--user", "--group", "--chdir", "--chroot", "--host", "--prompt", "--role", "--type"];
const XARGS_LONG = ["--arg-file", "--delimiter", "--max-args", "--max-procs", "--max-chars"];

export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map([
  ["builtin", PLAIN],
  ["busybox", PLAIN],
  ["caffeinate", wrapper({ valued: "tw" })],
  ["chronic", PLAIN],
  ["chroot", wrapper({ operands: 1, longValued: ["--userspec", "--groups"] })],
  ["chrt", wrapper({ operands: 1, valued: "TPD" })],
  ["command", wrapper({ only: ["-v", "-V"] })],
  ["doas", wrapper({ valued: "uC" })],
  ["env", wrapper({ valued: "uCS", longValued: ["--unset", "--chdir", "--split-string"], assigns: true })],
  ["exec", wrapper({ valued: "a" })],
  ["flock", wrapper({ operands: 1, valued: "wE", longValued: ["--timeout", "--conflict-exit-code"] })],
  ["ionice", wrapper({ valued: "cnpPu", longValued: ["--class", "--classdata"] })],
  ["ltrace", wrapper({ valued: "aeEilnopsux" })],
  ["nice", wrapper({ valued: "n", longValued: ["--adjustment"] })],
  ["nohup", PLAIN],
  [
    "parallel",
    wrapper({ valued: "jNnLsIaSd", longValued: ["--jobs", "--arg-file", "--joblog", "--results"] }),
  ],
  ["prlimit", wrapper({ valued: "p", longValued: ["--pid"] })],
  ["setpriv", wrapper({ longValued: ["--reuid", "--regid", "--groups"] })],
  ["setsid", PLAIN],
  ["stdbuf", wrapper({ valued: "ioe", longValued: ["--input", "--output", "--error"] })],
  ["strace", wrapper({ valued: "aeEIobOpPsSuUX" })],
  [
    "sudo",
    wrapper({ valued: "ugCDhpRrtTU", longValued: SUDO_LONG, assigns: true, only: ["-l", "-v", "-k"] }),
  ],
  ["taskset", wrapper({ operands: 1 })],
  ["time", wrapper({ valued: "fo", longValued: ["--format", "--output"] })],
  ["timeout", wrapper({ operands: 1, valued: "ks", longValued: ["--kill-after", "--signal"] })],
  ["toybox", PLAIN],
  ["unbuffer", PLAIN],
  ["unshare", wrapper({ valued: "RwSG", longValued: ["--root", "--wd", "--setuid", "--setgid"] })],
  ["watch", wrapper({ valued: "nq", longValued: ["--interval", "--equexit"] })],
  ["xargs", wrapper({ valued: "adEILnPs", longValued: XARGS_LONG })],
  ["xvfb-run", wrapper({ valued: "enfpsw", longValued: ["--server-args", "--server-num"] })],
]);

/** Those that find the command behind a word of theirs. */
export const RUNNERS: ReadonlyMap<string, string> = new Map([
  ["bundle", "exec"],
  ["npm", "exec"],
  ["pipenv", "run"],
  ["pnpm", "exec"],
  ["poetry", "run"],
  ["uv", "run"],
]);

export const SHELLS: ReadonlySet<string> = new Set([
  "sh",
  "bash",
  "dash",
  "ash",
  "zsh",
  "ksh",
  "mksh",
  "rbash",
]);
