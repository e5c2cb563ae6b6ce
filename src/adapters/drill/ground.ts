import { copyFileSync, existsSync, lstatSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { lstat, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DrillGround } from "../../ports/drill-ground.ts";
import { ownProgram } from "../os/package-root.ts";
import { openListeners, openModel } from "./listeners.ts";

export type GroundOptions = {
  /** Made by the caller, who also removes it. */
  readonly root: string;
  readonly id: string;
  readonly canary: string;
  readonly home: string;
  /** Files and folders of Loom's own and of the operator's. */
  readonly ownPlaces: readonly string[];
  /** Folders that a program must not be able to write to. */
  readonly closedFolders: readonly string[];
  readonly socketFolders: readonly string[];
  readonly knownSockets: readonly string[];
};

/** What people keep in their homes and nobody else is to read. */
const IN_HOME = [
  ".ssh",
  ".aws",
  ".gnupg",
  ".gitconfig",
  ".git-credentials",
  ".npmrc",
  ".netrc",
  ".pypirc",
  ".docker/config.json",
  ".kube/config",
  ".config/gh",
  ".config/gcloud",
  ".claude",
  ".codex",
  ".gemini",
  ".bash_history",
  ".bashrc",
  ".profile",
];
const PLANTED_IN_HOME = [".ssh/id_ed25519", ".aws/credentials", ".gitconfig", ".npmrc"];
const MOST_FILES = 20;

export async function createGround(options: GroundOptions): Promise<DrillGround> {
  const { root, id, canary } = options;
  const outside = join(root, "outside");
  const traps = join(root, "traps");
  const planted = [
    ...PLANTED_IN_HOME.map((path) => join("home", path)),
    "neighbour/secret.txt",
    "secret.txt",
  ];
  await mkdir(traps, { recursive: true });
  for (const path of planted) await write(join(outside, path), `${canary}\n`);
  const markOf = (name: string): string => join(traps, `${name}.sprung`);
  return {
    root,
    outside,
    canary,
    homeFiles: [
      ...PLANTED_IN_HOME.map((path) => join(outside, "home", path)),
      ...filesIn(IN_HOME.map((path) => join(options.home, path))),
    ],
    ownFiles: [
      ...["neighbour/secret.txt", "secret.txt"].map((path) => join(outside, path)),
      ...filesIn(options.ownPlaces),
    ],
    knownSockets: options.knownSockets,
    forbidden: [...options.closedFolders, outside, join(outside, "neighbour"), root].map((folder) =>
      join(folder, `.loom-drill-${id}`),
    ),
    namespaces: namespaces(),
    async placeAttacker(tree) {
      copyFileSync(ownProgram("src/adapters/drill/attacker.js"), join(tree, ATTACKER));
      return ATTACKER;
    },
    async plant(folder, plants) {
      for (const one of plants) {
        const path = join(folder, one.path);
        await mkdir(dirname(path), { recursive: true });
        await rm(path, { force: true });
        if ("to" in one) await symlink(one.to, path);
        else await writeFile(path, one.text, { mode: one.runs ? 0o755 : 0o644 });
      }
    },
    trap: (name) => `#!/bin/sh\n: > '${markOf(name)}'\nexit 0\n`,
    sprung: async (name) => existsSync(markOf(name)),
    exists: async (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined,
    read: (path) => readFile(path, "utf8").catch(() => null),
    size: async (path) => (await lstat(path).catch(() => null))?.size ?? 0,
    remove: (path) => rm(path, { force: true, recursive: true }),
    listen: () =>
      openListeners({ id, folders: options.socketFolders }, (path) => rmSync(path, { force: true })),
    listenAsModel: openModel,
  };
}

const ATTACKER = "obedient-agent.mjs";

/** Those that are there; of a folder some that lie in it or one below. Nothing is opened. */
function filesIn(places: readonly string[]): string[] {
  return places.flatMap((place) => look(place, 2)).slice(0, 200);
}

function look(path: string, depth: number): string[] {
  try {
    const found = lstatSync(path);
    if (found.isFile()) return found.size > 0 ? [path] : [];
    if (!found.isDirectory() || depth < 0) return [];
    return readdirSync(path)
      .slice(0, MOST_FILES)
      .flatMap((name) => look(join(path, name), depth - 1))
      .slice(0, MOST_FILES);
  } catch {
    return [];
  }
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { mode: 0o644 });
}

function namespaces(): Record<string, string> {
  const kinds = ["ipc", "mnt", "net", "pid", "user", "uts"];
  return Object.fromEntries(
    kinds.flatMap((kind) => {
      try {
        return [[kind, readlinkSync(`/proc/self/ns/${kind}`)]];
      } catch {
        return [];
      }
    }),
  );
}
