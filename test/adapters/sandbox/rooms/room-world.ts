import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createOpenSandbox } from "../../../../src/adapters/sandbox/open-sandbox.ts";
import { chooseRooms } from "../../../../src/adapters/sandbox/rooms/choose-rooms.ts";
import { createPatterns } from "../../../../src/adapters/text/patterns.ts";
import type { Limits, Room, Rooms, Walls } from "../../../../src/ports/room.ts";
import type { ConfinedProcess, ProcessExit } from "../../../../src/ports/sandbox.ts";

export const GB = 1024 ** 3;
export const MB = 1024 ** 2;
export const WIDE: Limits = { processes: 512, memoryBytes: 4 * GB, fileBytes: 2 * GB, diskBytes: 4 * GB };

export type Ended = { readonly exit: ProcessExit; readonly out: string; readonly err: string };

let count = 0;

/** A machine with a repository, a linked work tree and rooms. */
export function createRoomWorld(env: Record<string, string | undefined> = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "loom-rooms-")));
  const supervisor = createOpenSandbox();
  const folder = join(root, "rooms");
  const tree = join(root, "tree");
  const repository = join(root, "repository");
  let rooms: Promise<Rooms> | null = null;
  mkdirSync(tree);

  const options = {
    supervisor,
    folder,
    cwd: repository,
    patterns: createPatterns(),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, LANG: "C.UTF-8", ...env },
  };
  const world = {
    root,
    folder,
    tree,
    repository,
    supervisor,
    options,
    rooms: () => (rooms ??= chooseRooms(options)),

    /** Made of `files`, committed, and checked out as a linked work tree. */
    makeRepository(files: Record<string, string>): void {
      const git = (...args: string[]) =>
        execFileSync("git", args, {
          cwd: repository,
          env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" },
        });
      mkdirSync(repository);
      git("init", "-q", "-b", "main");
      git("config", "user.name", "A Person");
      git("config", "user.email", "a@example.org");
      for (const [path, text] of Object.entries(files)) world.write(join(repository, path), text);
      git("add", "-A");
      git("commit", "-q", "-m", "Begin");
      rmSync(tree, { recursive: true });
      git("worktree", "add", "-q", "--detach", tree);
    },

    write(path: string, text: string): void {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    },

    walls(fields: Partial<Walls> = {}): Walls {
      return {
        marker: `room-${process.pid}-${++count}`,
        tree,
        treeAccess: "write",
        hidden: [],
        readOnly: [],
        writable: [],
        home: null,
        shows: [],
        network: { allow: [] },
        model: null,
        judge: null,
        onTraffic: null,
        limits: WIDE,
        ...fields,
      };
    },

    async open(fields: Partial<Walls> = {}): Promise<Room> {
      return (await world.rooms()).open(world.walls(fields));
    },

    async dispose(): Promise<void> {
      await (await rooms?.catch(() => null))?.close();
      await supervisor.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
  return world;
}

export type RoomWorld = ReturnType<typeof createRoomWorld>;

export function start(
  room: Room,
  argv: readonly [string, ...string[]],
  cwd: string,
  env: Record<string, string> = {},
): ConfinedProcess {
  return room.spawn({ argv, cwd, env, stdin: "" });
}

export async function finish(running: ConfinedProcess): Promise<Ended> {
  const parts = { stdout: "", stderr: "" };
  for await (const { stream, data } of running.output) parts[stream] += data.toString();
  return { exit: await running.exit, out: parts.stdout, err: parts.stderr };
}

/** Reads until a line has come that is this; the rest stays for later. */
export async function untilLine(running: ConfinedProcess, line: string): Promise<void> {
  const iterator = running.output[Symbol.asyncIterator]();
  let text = "";
  while (!text.split("\n").includes(line)) {
    const { done, value } = await iterator.next();
    if (done) throw new Error(`ended after ${JSON.stringify(text)}`);
    text += value.data.toString();
  }
}
