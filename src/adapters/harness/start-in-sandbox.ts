import { InternalError, UserError } from "../../core/errors.ts";
import { nextWords } from "../../core/report/texts/next-words.ts";
import type { HarnessEvent, HarnessSession, SessionEnd } from "../../ports/harness.ts";
import type { ConfinedProcess, ProcessExit } from "../../ports/process-supervisor.ts";
import type { Sandbox, SandboxProvider, SandboxSpec, Traffic } from "../../ports/sandbox.ts";
import type { Conclusion, Launch, StreamReader } from "./cli/cli.ts";
import { outputOf } from "./cli/json-line.ts";
import { createPatience } from "./cli/patience.ts";
import { createEventQueue } from "./event-queue.ts";
import { type Line, readLines } from "./read-lines.ts";
import { sanitizeEnd, sanitizeEvent } from "./sanitize-event.ts";
import { createYield } from "./yield-often.ts";

export type SandboxProgram = {
  readonly tree: string;
  /** Says what the sandbox has to be like. A UserError keeps the program from being started. */
  readonly prepare: () => {
    readonly sandboxSpec: Omit<SandboxSpec, "onTraffic">;
    /** Lays out what the program needs and says how to start it. */
    readonly launch: (sandbox: Sandbox) => Promise<Launch> | Launch;
  };
  readonly reader: StreamReader;
  /** What is longer is cut, and then it can't be read as anything but output. */
  readonly maxLineBytes: number;
  /** What the agent asks in its last words, if anything. */
  readonly questionIn: (text: string) => string | null;
};

/** Of a conversation with many answers only the last ones say why it ended. */
const TRAFFIC_KEPT = 50;
const GIVE_UP_GRACE_MS = 2_000;
const LOOK_MS = 1_000;
/** Looking takes a few calls of the system, and a program can print 100,000 lines in a second. */
const LOOK_AGAIN_MS = 100;

/** One agent process in a sandbox of its own, told in Loom's vocabulary. The way of every harness. */
export function startInSandbox(sandboxes: SandboxProvider, program: SandboxProgram): HarnessSession {
  const queue = createEventQueue();
  const traffic: Traffic[] = [];
  const patience = createPatience();
  let running: { readonly sandbox: Sandbox; readonly process: ConfinedProcess } | null = null;
  let stopping: number | null = null;

  const onTraffic = (seen: Traffic): void => {
    traffic.push(seen);
    if (traffic.length > TRAFFIC_KEPT) traffic.shift();
    for (const event of patience.note(seen, Date.now())) queue.note(sanitizeEvent(event, Date.now()));
    // A key that is refused is refused again; some CLIs would go on asking for minutes.
    if (patience.lost()) running?.process.stop(GIVE_UP_GRACE_MS).catch(() => {});
  };

  const begin = async (): Promise<Sandbox> => {
    const { sandboxSpec, launch } = program.prepare();
    const sandbox = await sandboxes.open({ ...sandboxSpec, onTraffic });
    try {
      const { argv, env, stdin } = await launch(sandbox);
      running = { sandbox, process: sandbox.spawn({ argv, cwd: program.tree, env, stdin }) };
      if (stopping !== null) running.process.stop(stopping).catch(() => {});
      return sandbox;
    } catch (error) {
      await sandbox.close();
      throw error;
    }
  };

  const follow = async (): Promise<SessionEnd> => {
    const sandbox = await begin();
    const { process } = running ?? neverRan();
    try {
      await readAll(process, program, queue);
      const exit = await process.exit;
      const said = conclude(exit, program.reader, traffic, sandbox, patience.lost());
      const conclusion = sanitizeEnd(said, Date.now());
      const question = conclusion.text === null ? null : program.questionIn(conclusion.text);
      if (question !== null) await queue.push({ kind: "ask", question });
      return { exit, ...conclusion, deniedHosts: sandbox.denied() };
    } finally {
      await sandbox.close();
    }
  };

  const end = follow()
    .catch((error: unknown): SessionEnd => {
      if (error instanceof UserError)
        return notStarted(`${error.message} ${nextWords(error.next, "terminal")}`.trim());
      throw error;
    })
    .finally(() => queue.end());
  // Whoever listens to the events hears of it there; until then it must not count as unhandled.
  end.catch(() => {});
  return {
    events: queue.events(),
    end,
    async stop(graceMs) {
      stopping = graceMs;
      queue.hurry();
      await running?.process.stop(graceMs);
    },
  };
}

async function readAll(
  process: ConfinedProcess,
  { reader, maxLineBytes }: SandboxProgram,
  queue: ReturnType<typeof createEventQueue>,
): Promise<void> {
  const tell = (event: HarnessEvent): Promise<void> => queue.push(sanitizeEvent(event, Date.now()));
  const yieldOften = createYield();
  let looking = Promise.resolve();
  let lookedAt = Number.NEGATIVE_INFINITY;
  const look = (): Promise<void> => {
    looking = looking.then(async () => {
      for (const event of (await reader.look?.()) ?? []) await tell(event);
    });
    return looking;
  };
  // Also while the program says nothing: what it writes to files may be the very reason to end it.
  const timer = reader.look ? setInterval(() => void look().catch(() => {}), LOOK_MS) : null;
  try {
    for await (const line of readLines(process.output, { maxLineBytes })) {
      for (const event of readSafely(reader, line)) await tell(event);
      if (reader.look && performance.now() - lookedAt >= LOOK_AGAIN_MS) {
        await look();
        lookedAt = performance.now();
      }
      await yieldOften();
    }
    await look();
  } finally {
    if (timer) clearInterval(timer);
  }
}

/** A line can be JSON of a depth that breaks whoever goes through it; then it is a line for the log. */
function readSafely(reader: StreamReader, line: Line): readonly HarnessEvent[] {
  try {
    return reader.read(line);
  } catch {
    return [outputOf(line)];
  }
}

/** What broke a limit, or was given up on, says so whatever the program's own last words were. */
function conclude(
  exit: ProcessExit,
  reader: StreamReader,
  traffic: readonly Traffic[],
  sandbox: Sandbox,
  lost: Conclusion["failure"],
): Conclusion {
  const told = reader.conclude(exit, traffic);
  const broken = sandbox.exceeded();
  if (broken !== null) return { ...told, failure: { kind: "limit", message: broken, resetsAt: null } };
  return lost && told.failure !== null ? { ...told, failure: lost } : told;
}

function notStarted(reason: string): SessionEnd {
  return {
    exit: { kind: "not-started", reason },
    failure: null,
    text: null,
    resume: null,
    deniedHosts: [],
  };
}

function neverRan(): never {
  throw new InternalError("a sandbox was opened and nothing started in it");
}
