import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createProcessReader } from "../../../../src/adapters/sandbox/processes/process-reader.ts";
import { createSupervisor } from "../../../../src/adapters/sandbox/processes/process-supervisor.ts";
import type {
  ConfinedProcess,
  OutputChunk,
  ProcessSpec,
  ProcessSupervisor,
} from "../../../../src/ports/process-supervisor.ts";
import { bytesWritten, isAlive, livingWith, until } from "../../../support/living-processes.ts";

let supervisor: ProcessSupervisor;
let folder: string;
let count = 0;

beforeEach(async () => {
  supervisor = createSupervisor();
  folder = await mkdtemp(join(tmpdir(), "loom-sandbox-"));
});
afterEach(async () => {
  await supervisor.close();
  await rm(folder, { recursive: true });
});

function start(argv: ProcessSpec["argv"], fields: Partial<ProcessSpec> = {}) {
  const marker = fields.marker ?? `test-${process.pid}-${++count}`;
  const running = supervisor.spawn({
    argv,
    cwd: folder,
    env: { PATH: process.env.PATH ?? "" },
    stdin: "",
    ...fields,
    marker,
  });
  return { marker, running };
}

function sh(script: string, fields: Partial<ProcessSpec> = {}) {
  return start(["sh", "-c", script], fields);
}

async function readAll(running: ConfinedProcess, only?: OutputChunk["stream"]): Promise<string> {
  const parts: Buffer[] = [];
  for await (const { stream, data } of running.output) if (!only || only === stream) parts.push(data);
  return Buffer.concat(parts).toString();
}

/** Reads until so many lines have come; the rest stays unread. */
async function firstLines(running: ConfinedProcess, lines: number): Promise<string[]> {
  const iterator = running.output[Symbol.asyncIterator]();
  let text = "";
  while (text.split("\n").length <= lines) {
    const { done, value } = await iterator.next();
    if (done) throw new Error(`ended after ${JSON.stringify(text)}`);
    text += value.data.toString();
  }
  return text.split("\n").slice(0, lines);
}

/** Reads standard output on the side. */
function listen(running: ConfinedProcess) {
  let text = "";
  const read = async (): Promise<void> => {
    for await (const { stream, data } of running.output) if (stream === "stdout") text += data.toString();
  };
  return { text: () => text, end: read() };
}

/** It has written nothing since the last look. */
function isWaiting(running: ConfinedProcess): () => boolean {
  let before = -1;
  return () => {
    const last = before;
    before = bytesWritten(running.pid ?? 0);
    return before === last;
  };
}

describe("a program in the open sandbox", () => {
  it("gets its arguments as they are, without a shell in between", async () => {
    const { running } = start(["printf", "%s|", "$(id)", "a b", "*", ""]);
    expect(await readAll(running)).toBe("$(id)|a b|*||");
    expect(await running.exit).toEqual({ kind: "exited", code: 0 });
  });

  it("sees exactly the given environment, the marker and its owner's token", async () => {
    const { running, marker } = start(["/usr/bin/env"], { env: { ONE: "1", TWO: "zwei\nzeilen" } });
    const text = await readAll(running);
    expect(text.replace(/[0-9a-f]{32}/, "TOKEN")).toBe(
      `ONE=1\nTWO=zwei\nzeilen\nLOOM_MARKER=${marker}\nLOOM_OWNER=TOKEN\n`,
    );
  });

  it("reads its standard input to the end, a megabyte too", async () => {
    const { running } = sh("wc -c", { stdin: "x".repeat(1_000_000) });
    expect((await readAll(running)).trim()).toBe("1000000");
  });

  it("may leave its standard input unread", async () => {
    const { running } = sh("exit 0", { stdin: "x".repeat(1_000_000) });
    expect(await running.exit).toEqual({ kind: "exited", code: 0 });
  });

  it("may open its standard streams by name, as in a terminal", async () => {
    const { running } = sh("cat /dev/stdin > /dev/stderr; echo out > /dev/stdout", { stdin: "in\n" });
    const chunks: string[] = [];
    for await (const { stream, data } of running.output) chunks.push(`${stream}: ${data}`);
    expect(chunks.sort()).toEqual(["stderr: in\n", "stdout: out\n"]);
  });

  it("is told apart by how it ended", async () => {
    expect(await sh("exit 7").running.exit).toEqual({ kind: "exited", code: 7 });
    expect(await sh("kill -9 $$").running.exit).toEqual({ kind: "signalled", signal: "SIGKILL" });
  });

  it("has its streams told apart", async () => {
    expect(await readAll(sh("echo out; echo err >&2").running, "stderr")).toBe("err\n");
  });

  it("says in words why it could not be started", async () => {
    await writeFile(join(folder, "plain"), "not a program", { mode: 0o644 });
    await writeFile(join(folder, "lost"), "#!/no/such/interpreter\n", { mode: 0o755 });
    const reason = async (argv: ProcessSpec["argv"], fields: Partial<ProcessSpec> = {}) => {
      const { running } = start(argv, fields);
      expect(running.pid).toBeNull();
      expect(await readAll(running)).toBe("");
      await running.stop(0);
      const exit = await running.exit;
      return exit.kind === "not-started" ? exit.reason.replaceAll(folder, "<folder>") : exit;
    };
    expect(await reason(["no-such-program"])).toBe("no-such-program was not found on PATH");
    expect(await reason([join(folder, "nothing")])).toBe("<folder>/nothing was not found");
    expect(await reason([join(folder, "plain")])).toBe("<folder>/plain may not be executed");
    expect(await reason([join(folder, "lost")])).toBe(
      "the interpreter that <folder>/lost names in its first line was not found",
    );
    expect(await reason(["true"], { cwd: join(folder, "away") })).toBe(
      "the folder <folder>/away was not found",
    );
    expect(await reason(["true"], { cwd: join(folder, "plain") })).toBe("<folder>/plain is not a folder");
    expect(await reason(["true", "x".repeat(3_000_000)])).toBe(
      "true was given more arguments or a larger environment than the system takes",
    );
    expect(await reason(["true", "a\0b"])).toContain("failed to start true");
  });

  it("is slowed down by a slow reader, so that endless output fills no memory", async () => {
    const { running } = start(["yes"]);
    const iterator = running.output[Symbol.asyncIterator]();
    await iterator.next();
    await until(isWaiting(running), "it waits for its reader");
    expect(bytesWritten(running.pid ?? 0)).toBeLessThan(2_000_000);

    const memory = process.memoryUsage().rss;
    let read = 0;
    while (read < 50_000_000) read += (await iterator.next()).value.data.length;
    expect(process.memoryUsage().rss - memory).toBeLessThan(60_000_000);
    await running.stop(0);
  });

  it("goes on when its reader has turned away", async () => {
    const { running } = start(["seq", "1", "1000000"]);
    const iterator = running.output[Symbol.asyncIterator]();
    await iterator.next();
    await until(isWaiting(running), "it waits for its reader");
    await iterator.return?.();
    expect(await running.exit).toEqual({ kind: "exited", code: 0 });
  });

  it("keeps its output for a reader who comes after its end", async () => {
    const { running } = sh("seq 1 1000");
    await running.exit;
    expect(await readAll(running)).toMatch(/^1\n2\n(?:\d+\n)*1000\n$/);
  });
});

describe("the end of a program", () => {
  it("takes along what it left in the background", async () => {
    const { running, marker } = sh("sleep 1000 & sleep 1000 & echo $!");
    await readAll(running);
    expect(await running.exit).toEqual({ kind: "exited", code: 0 });
    expect(livingWith(`LOOM_MARKER=${marker}`)).toEqual([]);
  });

  it("takes along a daemon in a session of its own", async () => {
    const { running, marker } = sh("setsid sh -c 'sleep 1000 & sleep 1000 &' < /dev/null > /dev/null 2>&1");
    await running.exit;
    expect(livingWith(`LOOM_MARKER=${marker}`)).toEqual([]);
  });

  it("takes along what ignores the request to end", async () => {
    const { running, marker } = sh(
      "setsid sh -c 'trap \"\" TERM; : > up; while :; do sleep 1; done' & while ! [ -e up ]; do sleep 0.01; done",
    );
    expect(await running.exit).toEqual({ kind: "exited", code: 0 });
    expect(livingWith(`LOOM_MARKER=${marker}`)).toEqual([]);
  });

  it("ends the output although a child kept it open", async () => {
    const { running } = sh("setsid sleep 1000 & echo done");
    expect(await readAll(running)).toBe("done\n");
  });

  it("ends the output although someone who escaped keeps it open, silent or not", async () => {
    for (const escaped of ["sleep 1000", "yes"]) {
      // Cleared, moved and orphaned before anybody looked: this one only a namespace would hold.
      const { running } = sh(
        `env -i setsid sh -c 'echo $$ > escaped; exec ${escaped}' & while ! [ -s escaped ]; do :; done`,
      );
      const reading = readAll(running);
      await running.exit;
      const pid = Number(await readFile(join(folder, "escaped"), "utf8"));
      try {
        await reading;
      } finally {
        if (isAlive(pid)) process.kill(pid, "SIGKILL");
        await rm(join(folder, "escaped"));
      }
    }
  });

  it("takes along only its own, while another program runs under the same marker", async () => {
    const one = sh("sleep 1000 & echo $!; exit 0");
    const other = sh("echo up; read line < /dev/zero", { marker: one.marker });
    await firstLines(other.running, 1);
    const left = Number(await readAll(one.running));
    await one.running.exit;
    expect(isAlive(left)).toBe(false);
    expect(isAlive(other.running.pid ?? 0)).toBe(true);
    await other.running.stop(0);
  });
});

describe("stop", () => {
  it("asks first, so that a program can put its things in order", async () => {
    const { running } = sh("trap 'echo tidy; exit 5' TERM; echo up; while :; do sleep 0.01; done");
    const heard = listen(running);
    await until(() => heard.text() === "up\n", "it is up");
    await running.stop(10_000);
    await heard.end;
    expect(heard.text()).toBe("up\ntidy\n");
    expect(await running.exit).toEqual({ kind: "exited", code: 5 });
  });

  it("asks everyone once only", async () => {
    const { running } = sh("trap 'echo asked' TERM; echo up; while :; do sleep 0.01; done");
    const heard = listen(running);
    await until(() => heard.text() === "up\n", "it is up");
    await running.stop(300);
    await heard.end;
    expect(heard.text()).toBe("up\nasked\n");
  });

  it("does not wait for what has had its time", async () => {
    const { running } = sh("trap '' TERM; echo up; while :; do sleep 1; done");
    await firstLines(running, 1);
    await running.stop(50);
    expect(await running.exit).toEqual({ kind: "signalled", signal: "SIGKILL" });
  });

  it("is hurried by a second, less patient call", async () => {
    const { running } = sh("trap '' TERM; echo up; while :; do sleep 1; done");
    await firstLines(running, 1);
    const patient = running.stop(600_000);
    await running.stop(0);
    await patient;
    expect(await running.exit).toEqual({ kind: "signalled", signal: "SIGKILL" });
  });

  it("ends children in sessions of their own that ignore requests", async () => {
    const { running, marker } = sh(
      "for n in 1 2 3; do setsid sh -c 'trap \"\" TERM; echo up; while :; do sleep 1; done' & done; wait",
    );
    await firstLines(running, 3);
    await running.stop(20);
    expect(livingWith(`LOOM_MARKER=${marker}`)).toEqual([]);
  });

  it("ends children that cleared their environment", async () => {
    const { running } = sh(
      "env -i sh -c 'echo $$; exec sleep 1000' & env -i setsid sh -c 'echo $$; exec sleep 1000' & wait",
    );
    const pids = (await firstLines(running, 2)).map(Number);
    expect(pids.map(isAlive)).toEqual([true, true]);
    await running.stop(1000);
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  it("ends a child without environment that outlives the request and its parent", async () => {
    const deaf = 'trap "" TERM; echo $$; while :; do sleep 1; done';
    const { running } = sh(`env -i setsid sh -c '${deaf}' & wait`);
    const [pid] = (await firstLines(running, 1)).map(Number);
    await running.stop(100);
    expect(isAlive(pid ?? 0)).toBe(false);
  });

  it("ends a daemon that cleared its environment and lost its parent, when it was seen in between", async () => {
    let looks = 0;
    const reader = createProcessReader();
    supervisor = createSupervisor({
      reader: { ...reader, read: (options) => reader.read(options).finally(() => (looks += 1)) },
    });
    // The parent goes when it is told to, which is after a sweep has seen the child.
    const gate = join(folder, "gate");
    const { running } = sh(
      `sh -c 'setsid env -i sh -c "echo \\$\\$; exec sleep 1000" & while ! [ -e ${gate} ]; do sleep 0.02; done' ; echo gone; sleep 1000`,
    );
    const lines = running.output[Symbol.asyncIterator]();
    const pid = Number((await lines.next()).value.data.toString());
    const looksBefore = looks;
    await until(() => looks >= looksBefore + 2, "a sweep has passed");
    await writeFile(gate, "");
    expect((await lines.next()).value.data.toString()).toBe("gone\n");
    expect(isAlive(pid)).toBe(true);
    await running.stop(1000);
    expect(isAlive(pid)).toBe(false);
  });

  it("ends a storm of fifty processes that keep starting others", async () => {
    const { running, marker } = sh(
      "for n in $(seq 50); do setsid sh -c 'while :; do sh -c \"sleep 0.05\" & sleep 0.05; done' & done; echo up; wait",
    );
    await firstLines(running, 1);
    await running.stop(0);
    expect(livingWith(`LOOM_MARKER=${marker}`)).toEqual([]);
  });

  it("may be called when all is over", async () => {
    const { running } = sh("exit 0");
    await running.exit;
    await running.stop(1000);
  });
});

describe("reap", () => {
  it("ends what carries the marker, counts it, and leaves the rest alone", async () => {
    const one = sh("setsid sleep 1000 & echo up; wait");
    const other = sh("echo up; sleep 1000");
    await firstLines(one.running, 1);
    await firstLines(other.running, 1);
    await until(() => livingWith(`LOOM_MARKER=${one.marker}`).length === 2, "both run");
    expect(await createSupervisor().reap(one.marker)).toBe(2);
    expect(livingWith(`LOOM_MARKER=${one.marker}`)).toEqual([]);
    expect(isAlive(other.running.pid ?? 0)).toBe(true);
    expect(await supervisor.reap(one.marker)).toBe(0);
  });
});

describe("close", () => {
  it("ends everything and leaves nobody behind, the reaper included", async () => {
    const { running, marker } = sh("setsid sleep 1000 & echo up; sleep 1000");
    await firstLines(running, 1);
    await supervisor.close();
    expect(livingWith(`LOOM_MARKER=${marker}`)).toEqual([]);
    expect(await running.exit).toEqual({ kind: "signalled", signal: "SIGTERM" });
    expect(() => supervisor.spawn({ argv: ["true"], cwd: folder, env: {}, stdin: "", marker })).toThrow(
      "closed",
    );
  });

  it("is cheap when nothing was started", async () => {
    await createSupervisor().close();
  });
});
