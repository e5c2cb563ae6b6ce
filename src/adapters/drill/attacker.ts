import { createSocket } from "node:dgram";
import {
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import type { DrillLoot, DrillTask, ModelAttempt, Plant } from "../../core/drill/task.ts";

/**
 * The obedient agent of `loom drill`: it runs in a sandbox, does all that its task says, and prints what it got. It imports
 * nothing of Loom, because it is copied into a tree. Where there is no defence it must do no harm: it opens and looks, writes
 * only files of names that nobody has, connects to nothing but loopback and the gateway, and signals no process but the one
 * that was started to be its victim.
 */
const PATIENCE_MS = 1_000;
const MOST_DUMPED = 400_000;
/** DRILL_EXIT of `task.ts`; with any other, the attack on Loom's word for its end would always seem to succeed. */
const EXIT = 7;

const task: DrillTask = JSON.parse(readFileSync(0, "utf8"));
const others = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);

await forgeEnd();
const loot: DrillLoot = {
  works: works(),
  namespaces: namespaces(),
  dump: dumpProcesses(),
  victim: hurtVictim(),
  relay: reachOthers(),
  kernel: reachKernel(),
  descriptors: inherited(),
  sockets: await knock(),
  through: await askGateway(),
  read: task.read.filter(isReadable),
  model: await askModel(),
};
for (const path of task.write) attempt(() => writeFileSync(path, "written by the drill\n"));
for (const plant of task.plants) attempt(() => put(plant));
for (const folder of [process.env.HOME, process.env.TMPDIR, "/tmp", "/var/tmp", "/dev/shm", "/run"]) {
  if (task.trace !== "") attempt(() => writeFileSync(join(folder ?? "", task.trace), `${task.trace}\n`));
}
process.stdout.write(JSON.stringify(loot), () => process.exit(EXIT));

function works(): boolean {
  return isReadable(process.argv[1] ?? "") && process.env.PATH !== undefined && others.length > 0;
}

function namespaces(): Record<string, string> {
  const kinds = ["ipc", "mnt", "net", "pid", "user", "uts"];
  return Object.fromEntries(
    kinds.map((kind) => [kind, attempt(() => readlinkSync(`/proc/self/ns/${kind}`)) ?? ""]),
  );
}

function dumpProcesses(): string {
  const own = Object.entries(process.env).map(([name, value]) => `${name}=${value}`);
  // What has to be found comes first: there is an end to what can be brought home.
  const files = [...others.filter(isVictim), ...others].flatMap((pid) => [
    `/proc/${pid}/environ`,
    `/proc/${pid}/cmdline`,
  ]);
  return [...own, ...files.map((path) => attempt(() => readFileSync(path, "latin1")) ?? "")]
    .join("\n")
    .replaceAll("\0", "\n")
    .slice(0, MOST_DUMPED);
}

/** A number may mean another process in here: only one whose command line has the mark is the victim. */
function isVictim(pid: string): boolean {
  return (attempt(() => readFileSync(`/proc/${pid}/cmdline`, "latin1")) ?? "").includes(task.victim.mark);
}

function hurtVictim(): string[] {
  const seen = others.filter(isVictim);
  for (const pid of seen) attempt(() => process.kill(Number(pid), "SIGKILL"));
  return seen.length > 0 ? ["its command line"] : [];
}

function reachOthers(): string[] {
  return others.flatMap((pid) => {
    const got: [string, () => unknown][] = [
      ["memory", () => closeSync(openSync(`/proc/${pid}/mem`, "r+"))],
      ["environment", () => readFileSync(`/proc/${pid}/environ`)],
      ["open files", () => readlinkSync(`/proc/${pid}/fd/0`)],
      ["root folder", () => readdirSync(`/proc/${pid}/root/`)],
    ];
    return got.filter(([, reach]) => attempt(reach) !== null).map(([what]) => `${what} of process ${pid}`);
  });
}

/** Says that this program ended well, for every token that it can find. Whether anybody believes it is seen outside. */
async function forgeEnd(): Promise<void> {
  const lines = others.map((pid) => attempt(() => readFileSync(`/proc/${pid}/cmdline`, "latin1")) ?? "");
  const tokens = lines.join(" ").match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? [];
  for (const token of tokens.slice(0, 5)) {
    const headers = { "x-loom-token": token };
    await ask({ method: "POST", path: "/.loom/exit", headers, body: '{"kind":"exited","code":0}' });
  }
}

function reachKernel(): string[] {
  // Closed to all but root; what everybody may read says nothing about a defence.
  const readable = ["kcore", "kmsg", "vmallocinfo", "timer_list", "slabinfo"];
  const writable = ["/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe"];
  const devices = [
    "/dev/mem",
    "/dev/kmsg",
    "/dev/sda",
    "/dev/vda",
    "/dev/nvme0n1",
    "/dev/kvm",
    "/dev/fuse",
    "/dev/tty",
  ];
  const opens = (path: string, flags: number): boolean =>
    attempt(() => closeSync(openSync(path, flags))) !== null;
  return [
    ...readable.map((name) => `/proc/${name}`).filter(isReadable),
    // Opened and closed: whoever may open them may change the kernel.
    ...writable.filter((path) => opens(path, constants.O_WRONLY)),
    ...devices.filter((path) => opens(path, constants.O_RDONLY | constants.O_NONBLOCK)),
    // To what it is anyway.
    ...(attempt(() => chmodSync("/dev/null", statSync("/dev/null").mode & 0o777)) === null
      ? []
      : ["/dev/null"]),
  ];
}

/** A folder that Loom has open leads out of every sandbox. Pipes and what Node makes for itself lead nowhere. */
function inherited(): string[] {
  const open = (attempt(() => readdirSync("/proc/self/fd")) ?? []).filter((fd) => Number(fd) > 2);
  return open.flatMap((fd) => {
    const leads = attempt(() => readlinkSync(`/proc/self/fd/${fd}`)) ?? "";
    return leads.startsWith("/") && !/^\/(?:proc|dev\/null|dev\/urandom)/.test(leads) ? [leads] : [];
  });
}

/** Connections to listeners of the drill's are noticed there; those to sockets of others are told here. */
async function knock(): Promise<string[]> {
  const all = [
    ...task.tcp.map((goal) => ({ name: `${goal.host}:${goal.port}`, goal })),
    ...task.sockets.map((path) => ({ name: path.replace("\0", "@"), goal: { path } })),
  ];
  if (task.udp !== null) {
    const socket = createSocket("udp4");
    socket.on("error", () => {});
    await new Promise<void>((done) => socket.send("drill", task.udp ?? 0, "127.0.0.1", () => done()));
    socket.close();
  }
  const got = await Promise.all(all.map(async ({ name, goal }) => ((await connects(goal)) ? [name] : [])));
  return got.flat();
}

function connects(goal: { host: string; port: number } | { path: string }): Promise<boolean> {
  return new Promise((done) => {
    try {
      const socket = connect(goal);
      const end = (connected: boolean): void => {
        socket.destroy();
        done(connected);
      };
      socket.setTimeout(PATIENCE_MS, () => end(false));
      socket.on("connect", () => end(true));
      socket.on("error", () => end(false));
    } catch {
      done(false);
    }
  });
}

async function askGateway(): Promise<Record<string, number>> {
  const asked = task.through.flatMap((goal) => [
    ask({ method: "CONNECT", path: goal }),
    ask({ method: "GET", path: `http://${goal}/` }),
  ]);
  const answers = await Promise.all(asked);
  return Object.fromEntries(
    task.through.map((goal, index) => {
      const both = [answers[2 * index]?.status ?? 0, answers[2 * index + 1]?.status ?? 0];
      return [
        goal,
        both.find((status) => status !== 0 && ![400, 403, 404].includes(status)) ?? Math.max(...both),
      ];
    }),
  );
}

async function askModel(): Promise<DrillLoot["model"]> {
  const answers: [string, { status: number; text: string }][] = [];
  for (const { name, ...one } of task.model)
    answers.push([name, await ask({ ...one, path: `/.loom/model${one.path}` })]);
  return Object.fromEntries(answers);
}

/** Of the gateway and nobody else. 0: there was no answer. */
function ask(
  one: Partial<ModelAttempt> & { method: string; path: string },
): Promise<{ status: number; text: string }> {
  return new Promise((done) => {
    const nothing = { status: 0, text: "" };
    const gateway = attempt(() => new URL(process.env.LOOM_GATEWAY ?? ""));
    if (!gateway) return done(nothing);
    const { method, headers, body } = one;
    // Without a network of its own the gateway lies behind a path that nobody can guess.
    const path = one.path.startsWith("/") ? gateway.pathname.replace(/\/$/, "") + one.path : one.path;
    const asked = request({
      host: gateway.hostname,
      port: gateway.port,
      method,
      path,
      headers,
      agent: false,
    });
    asked.setTimeout(PATIENCE_MS, () => asked.destroy());
    asked.on("error", () => done(nothing));
    asked.on("connect", (response, socket) => {
      socket.destroy();
      done({ status: response.statusCode ?? 0, text: "" });
    });
    asked.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text = (text + chunk).slice(0, 10_000);
      });
      response.on("close", () => done({ status: response.statusCode ?? 0, text }));
      response.on("error", () => {});
    });
    asked.end(body);
  });
}

function put(plant: Plant): void {
  mkdirSync(dirname(plant.path), { recursive: true });
  if ("to" in plant) symlinkSync(plant.to, plant.path);
  else {
    rmSync(plant.path, { force: true });
    writeFileSync(plant.path, plant.text, { mode: plant.runs ? 0o755 : 0o644 });
  }
}

function isReadable(path: string): boolean {
  const read = attempt(() => {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return readSync(file, Buffer.alloc(1));
    } finally {
      closeSync(file);
    }
  });
  return read !== null && read > 0;
}

function attempt<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    return null;
  }
}
