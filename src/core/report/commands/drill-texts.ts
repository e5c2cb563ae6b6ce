import type { AttackId, SkipReason } from "../../drill/attack.ts";
import { listSome } from "../../text/list-some.ts";

type AttackTexts = {
  /** What it is about, in a few words. */
  readonly title: string;
  /** What is tried; follows "it". */
  readonly tries: string;
  /** What to do when it gets through. */
  readonly fix: string;
};

const REPORT = "Tell the maintainers of Loom, with the output of `loom drill --json`.";
const UPDATE = `Update Loom. ${REPORT}`;
const HOSTS = "Take those hosts out of LOOM_ALLOWED_DOMAINS, LOOM_SETUP_DOMAINS and LOOM_CHECK_DOMAINS.";
const SHOWS = "Take folders that hold them out of LOOM_SANDBOX_SHOW and PATH, or keep those files elsewhere.";
const KERNEL =
  "Install util-linux (`unshare`, `setpriv`) and a newer bubblewrap, and do not run Loom as root.";
const LIMITS =
  "Set LOOM_SANDBOX=auto, and start Loom where it may make control groups, such as a systemd service.";

export const attackTexts: Readonly<Record<AttackId, AttackTexts>> = {
  environment: {
    title: "secrets of Loom's process",
    tries: "reads its own environment and that of every process",
    fix: "Start Loom with LOOM_SANDBOX=auto, and give secrets to agents by LOOM_PASS_ENV only.",
  },
  processes: {
    title: "other processes",
    tries: "looks for a process outside, reads its command line and kills it",
    fix: "Set LOOM_SANDBOX=auto; a wrapper of your own has to give programs a PID namespace.",
  },
  relay: {
    title: "a forged end",
    tries: "takes over the process that tells Loom how it ended, and says that all went well",
    fix: KERNEL,
  },
  calls: {
    title: "calls to the kernel",
    tries: "opens raw sockets, keyrings, io_uring and further namespaces",
    fix: KERNEL,
  },
  kernel: {
    title: "the kernel and devices",
    tries: "opens files of /proc and /dev through which a machine is changed",
    fix: KERNEL,
  },
  descriptors: {
    title: "files that Loom has open",
    tries: "looks for open files that it inherited",
    fix: UPDATE,
  },
  loopback: {
    title: "this machine's loopback",
    tries: "connects to ports of 127.0.0.1 and ::1",
    fix: "Set LOOM_SANDBOX=auto; a wrapper of your own has to give programs a network namespace.",
  },
  sockets: {
    title: "sockets of this machine",
    tries: "connects to sockets of the drill, Docker, D-Bus and the SSH agent",
    fix: "Take folders that hold sockets out of LOOM_SANDBOX_SHOW.",
  },
  gateway: {
    title: "loopback through the proxy",
    tries: "asks the gateway for this machine, in twelve spellings",
    fix: HOSTS,
  },
  metadata: {
    title: "private and metadata addresses",
    tries: "asks the gateway for the addresses where clouds keep keys, and for private networks",
    fix: HOSTS,
  },
  store: {
    title: "the store",
    tries: "connects to the Redis of REDIS_URL, directly and through the gateway",
    fix: HOSTS,
  },
  home: {
    title: "your home",
    tries: "reads keys, tokens and histories in the home folder",
    fix: SHOWS,
  },
  "own-files": {
    title: "Loom's own files",
    tries: "reads ledgers, keys, settings and work trees of others",
    fix: `${SHOWS} Set LOOM_DATA and LOOM_TREES to folders that no sandbox shows.`,
  },
  outside: {
    title: "writing outside of the tree",
    tries: "writes beside its tree, to the home, to Loom's programs and to the system",
    fix: "Set LOOM_SANDBOX=auto; a wrapper of your own has to make all but the tree read-only.",
  },
  "git-folder": {
    title: "git's own folder",
    tries: "writes hooks, settings, attributes and alternates of the repository",
    fix: "Set LOOM_SANDBOX=auto; a wrapper of your own has to make the git folder read-only.",
  },
  model: {
    title: "the model's endpoint",
    tries: "sends another key, other paths and tools of the provider's, and looks for the key",
    fix: "Remove from LOOM_MODEL_ALLOW what agents do not need.",
  },
  leftovers: {
    title: "from one session to the next",
    tries: "leaves files in the home and in temporary folders for the next program",
    fix: UPDATE,
  },
  history: {
    title: "hidden files in the history",
    tries: "reads a file that the rules hide, from the tree and through git",
    fix: UPDATE,
  },
  "set-up": {
    title: "set-up of an agent's commit",
    tries: "reaches for anything while the commands of set-up run what an agent wrote",
    fix: "Take LOOM_SETUP_NETWORK=commit out of the settings.",
  },
  "limit-processes": { title: "too many processes", tries: "starts 120 where 40 are allowed", fix: LIMITS },
  "limit-memory": { title: "too much memory", tries: "takes 512 MB where 192 are allowed", fix: LIMITS },
  "limit-disk": { title: "too much disk", tries: "writes 160 MB where 24 are allowed", fix: LIMITS },
  "limit-file": { title: "a huge file", tries: "writes a file of 8 MB where 2 are allowed", fix: LIMITS },
  stubborn: {
    title: "a program that will not end",
    tries: "ignores every request to end, with a child that left its session",
    fix: UPDATE,
  },
  "git-programs": {
    title: "programs that git would run",
    tries: "leaves hooks, filters, drivers and settings for Loom's own git",
    fix: `Install git 2.38 or newer. ${UPDATE}`,
  },
  "search-path": {
    title: "planted programs",
    tries: "leaves a `git`, `sh` and `node` in the repository, first on PATH",
    fix: UPDATE,
  },
  links: {
    title: "links out of the tree",
    tries: "leaves links for Loom to follow",
    fix: UPDATE,
  },
  published: {
    title: "files that run once published",
    tries: "adds workflows, editor tasks, hooks and packages to its change",
    fix: UPDATE,
  },
  "agent-config": {
    title: "settings for the next agent",
    tries: "leaves hooks and servers where agents look for them",
    fix: UPDATE,
  },
  "odd-names": {
    title: "deceptive files",
    tries: "adds a repository in the repository and names that others take for another file",
    fix: UPDATE,
  },
  secrets: {
    title: "secrets in a commit",
    tries: "writes a secret into a file, plain and in base64",
    fix: UPDATE,
  },
  "setting-sandbox": {
    title: "the sandbox setting",
    tries: "runs where LOOM_SANDBOX is off or bubblewrap is missing",
    fix: "Install bubblewrap (`apt install bubblewrap`) and set LOOM_SANDBOX=auto.",
  },
  "setting-root": {
    title: "rights of root",
    tries: "runs as root without a sandbox",
    fix: "Run Loom as a user of its own, or have a sandbox.",
  },
  "setting-hosts": {
    title: "rules for hosts",
    tries: "uses rules for all hosts, or for private ones",
    fix: "Name the public hosts that agents need, one by one.",
  },
  "setting-passed": {
    title: "variables passed to agents",
    tries: "reads what LOOM_PASS_ENV hands over",
    fix: "Take them out of LOOM_PASS_ENV, or replace them with keys that can do little.",
  },
  "setting-shown": {
    title: "folders shown to agents",
    tries: "reads what LOOM_SANDBOX_SHOW shows",
    fix: "Name the folders of the programs alone in LOOM_SANDBOX_SHOW.",
  },
  "setting-model": {
    title: "further requests to the model",
    tries: "sends what LOOM_MODEL_ALLOW adds",
    fix: "Unset LOOM_MODEL_ALLOW: through tools of the provider's everything can leave.",
  },
  "setting-plain": {
    title: "keys in plain text",
    tries: "listens where keys travel without TLS",
    fix: "Write https:// in these settings, and unset NODE_TLS_REJECT_UNAUTHORIZED.",
  },
  "setting-path": {
    title: "folders of PATH",
    tries: "puts a program where others may write",
    fix: "Remove these folders from PATH, or take away others' right to write there.",
  },
  "setting-data": {
    title: "the data folder",
    tries: "reads ledgers as another user of this machine",
    fix: "Run `chmod 700` on the folder that LOOM_DATA names.",
  },
  "setting-keys": {
    title: "files that hold keys",
    tries: "reads them as another user of this machine",
    fix: "Run `chmod 600` on these files.",
  },
  "setting-store": {
    title: "the store's password",
    tries: "connects to Redis without one, or listens",
    fix: "Set a password in Redis and write REDIS_URL as rediss://user:password@host:6379.",
  },
  "setting-webhook": {
    title: "the webhook secret",
    tries: "signs a webhook by guessing",
    fix: "Set WEBHOOK_SECRET, here and on GitHub, to what `openssl rand -hex 32` prints.",
  },
  "setting-gate": {
    title: "how stages are checked",
    tries: "passes a gate that it changed itself, or that lets errors pass",
    fix: "Unset LOOM_GATE_CHANGES and LOOM_VALIDATION_STRICTNESS.",
  },
};

export const skipTexts: Readonly<Record<SkipReason, string>> = {
  "not-configured": "not configured here",
  "no-perl": "needs perl in the sandbox, on x64 or arm64",
};

const MOST_SHOWN = 3;

export const drillTexts = {
  noSandbox: () => "no sandbox, so it was not played",
  notPlayed: (what: readonly string[]) => `could not be played: ${what.join(", ") || "no reason was given"}`,
  gotThrough: (what: readonly string[]) => listSome(what, MOST_SHOWN),
  playAgain: () => "Run `loom doctor`, fix what it names, and run the drill again.",
  begin: (sandbox: string) => `Playing the attacks of an obedient agent. Sandbox: ${sandbox}`,
  interrupted: () => "The drill was interrupted. It left nothing behind.",
};
