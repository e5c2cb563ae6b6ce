import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import {
  type ControlGroup,
  createControlGroup,
  removeOldGroups,
} from "../../../../../src/adapters/sandbox/provider/limits/control-groups.ts";
import {
  limitMemoryBeside,
  settleMemory,
  wasMemoryLimitReached,
} from "../../../../../src/adapters/sandbox/provider/limits/group-memory.ts";
import { superviseSandbox } from "../../../../../src/adapters/sandbox/provider/limits/supervise-sandbox.ts";
import { perlStarter } from "../../../../../src/adapters/sandbox/provider/relay/perl-starter.ts";
import type { ConfinedProcess } from "../../../../../src/ports/process-supervisor.ts";
import { tempFolder } from "../../../../support/git-repo.ts";
import { GB, MB } from "../sandbox-world.ts";

const LIMITS = { processes: 64, memoryBytes: 2 * GB };

/** Folders as the kernel shows its groups; `own` is what it says about Loom. */
function createTree(own: string, files: Record<string, string>) {
  const folder = tempFolder();
  const root = join(folder, "cgroup");
  const tree = { root, own: join(folder, "own") };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `${text}\n`);
  }
  writeFileSync(tree.own, own);
  return tree;
}

/** What was set in the groups that were made, by the folder they lie in. */
function settings(root: string, parent: string): Record<string, string> | null {
  const name = readdirSync(join(root, parent)).find((one) => one.startsWith("loom-"));
  if (name === undefined) return null;
  const group = join(root, parent, name);
  return Object.fromEntries(
    readdirSync(group)
      .sort()
      .map((file) => [file, readFileSync(join(group, file), "utf8")]),
  );
}

const SERVICE = "0::/system.slice/loom.service\n";
const UNLIMITED = {
  "cgroup.controllers": "cpu memory pids",
  "system.slice/cgroup.controllers": "cpu memory pids",
  "system.slice/cgroup.subtree_control": "memory pids",
  "system.slice/loom.service/memory.max": "max",
  "system.slice/loom.service/memory.high": "max",
};
const PIDS = { "pids.max": "256" };
const MEMORY = { "memory.max": String(2 * GB), "memory.oom.group": "1", "memory.swap.max": "0" };

it.each([
  ["holds memory where Loom has no limit", {}, { ...MEMORY, ...PIDS }],
  [
    "holds memory where the limit is one of all services, which a sandbox beside Loom is below as well",
    { "system.slice/memory.max": String(GB) },
    { ...MEMORY, ...PIDS },
  ],
  ["counts where Loom has a limit", { "system.slice/loom.service/memory.max": String(4 * GB) }, PIDS],
  ["counts where Loom is slowed down", { "system.slice/loom.service/memory.high": String(GB) }, PIDS],
  ["counts where memory is not to be had", { "system.slice/cgroup.controllers": "cpu pids" }, PIDS],
])("beside Loom in one tree for all: %s", (_, files, expected) => {
  const tree = createTree(SERVICE, { ...UNLIMITED, ...files });
  const group = createControlGroup(LIMITS, tree);
  expect(settings(tree.root, "system.slice")).toEqual(expected);
  expect(group?.memory != null).toBe("memory.max" in expected);
});

it("in one tree for all, asks for the controllers that are not there yet", () => {
  const subtree = "system.slice/cgroup.subtree_control";
  const tree = createTree(SERVICE, { ...UNLIMITED, [subtree]: "pids" });
  createControlGroup(LIMITS, tree);
  expect(readFileSync(join(tree.root, subtree), "utf8")).toBe("+memory");
});

it("in one tree for all, counts where a group further up has a limit that would be left, or nobody can see", () => {
  const limited = createTree(SERVICE, { ...UNLIMITED, "system.slice/memory.max": String(GB) });
  const above = join(limited.root, "loom-1-aaaaaaaaaaaa");
  mkdirSync(above);
  const own = join(limited.root, "system.slice/loom.service");
  expect(limitMemoryBeside(above, own, GB)).toBeNull();
  expect(limitMemoryBeside(above, join(limited.root, "elsewhere"), GB)).toBeNull();
  expect(limitMemoryBeside(above, dirname(limited.root), GB)).toBeNull();
  expect(readdirSync(above)).toEqual([]);
});

it("in one tree for all, holds memory below Loom where Loom is at its top", () => {
  const tree = createTree("0::/\n", { "cgroup.controllers": "memory pids", "memory.max": String(GB) });
  createControlGroup(LIMITS, tree);
  expect(settings(tree.root, "")).toEqual({ ...MEMORY, ...PIDS });
});

it("below Loom in a tree for memory alone, holds memory where Loom's limits go on", () => {
  const own = "5:pids:/\n4:memory:/services/loom\n";
  const files = { "pids/tasks": "", "memory/services/loom/memory.use_hierarchy": "1" };
  const tree = createTree(own, files);
  const group = createControlGroup(LIMITS, tree);
  expect(group?.folders).toHaveLength(2);
  expect(settings(tree.root, "pids")).toEqual(PIDS);
  expect(settings(tree.root, "memory/services/loom")).toEqual({
    "memory.kmem.tcp.limit_in_bytes": String(256 * MB),
    "memory.limit_in_bytes": String(2 * GB),
    "memory.memsw.limit_in_bytes": String(2 * GB),
    "memory.oom_control": "0",
  });

  const flat = createTree(own, { ...files, "memory/services/loom/memory.use_hierarchy": "0" });
  expect(createControlGroup(LIMITS, flat)).toMatchObject({ folders: [expect.any(String)], memory: null });
  expect(settings(flat.root, "memory/services/loom")).toBeNull();
});

it("goes on with the controllers that are there", () => {
  const own = "5:pids:/\n4:memory:/\n";
  const memory = createControlGroup(LIMITS, createTree(own, { "memory/memory.use_hierarchy": "1" }));
  expect(memory).toMatchObject({ folders: [expect.stringContaining("/memory/")], memory: {} });
  expect(createControlGroup(LIMITS, createTree(own, {}))).toBeNull();
});

type Entered = (group: ControlGroup, score: string, tree: string) => readonly string[];

const ENTER: Readonly<Record<string, Entered>> = {
  shell: (group, score) => [
    ...group.enter.map((word) => word.replaceAll("/proc/self/oom_score_adj", score)),
    ...["sh", "-c", "echo $$ $loom_score"],
  ],
  Perl(group, score, tree) {
    const program = join(tree, "program");
    writeFileSync(program, "#!/bin/sh\necho $$\n", { mode: 0o755 });
    const enter = perlStarter({ uid: 0, gid: 0 })?.enter(
      { program, shelter: "none", words: "/dev/null", filter: null, limits: null, group },
      ["true"],
    );
    return (enter ?? []).map((word) => word.replaceAll("/proc/self/oom_score_adj", score));
  },
};

it.each([
  ["shell", "-500", "0"],
  ["shell", "300", "300"],
  ["Perl", "-500", "0"],
  ["Perl", "300", "300"],
])(
  "lets the kernel end programs also where an operator protects Loom (%s): %s becomes %s",
  (by, before, after) => {
    const tree = createTree("5:pids:/\n4:memory:/\n", {
      "pids/tasks": "",
      "memory/tasks": "",
      score: before,
    });
    const group = createControlGroup(LIMITS, tree);
    const score = join(tree.root, "score");
    // Not everybody may lower the real one, not even every root.
    const [program = "", ...words] = (group && ENTER[by]?.(group, score, tree.root)) ?? [];
    const [pid] = execFileSync(program, words, { encoding: "utf8" }).split("\n");
    expect(readFileSync(score, "utf8").trim()).toBe(after);
    const entered = group?.folders.map((folder) => readFileSync(join(folder, "cgroup.procs"), "utf8").trim());
    expect(entered).toEqual([pid?.trim(), pid?.trim()]);
  },
);

it.each([
  ["one for each", false, "memory.usage_in_bytes"],
  ["one for all", true, "memory.current"],
])(
  "waits until what an ended program shared is gone, and for nobody who runs (trees: %s)",
  async (_, isUnified, usage) => {
    const folder = tempFolder();
    const set = (file: string, text: string): void => writeFileSync(join(folder, file), text);
    set(usage, String(GB));
    set("memory.stat", `cache ${GB}\nshmem ${GB}\n`);
    set("cgroup.procs", "");
    let isSettled = false;
    const settled = settleMemory({ folder, isUnified }, 2 * GB).then(() => {
      isSettled = true;
    });
    await delay(100);
    expect(isSettled).toBe(false);
    // Files that the kernel keeps are no reason to wait.
    set("memory.stat", `cache ${GB}\nshmem 0\n`);
    await settled;

    set("memory.stat", `cache ${GB}\nshmem ${GB}\n`);
    set("cgroup.procs", "17\n");
    const began = performance.now();
    await settleMemory({ folder, isUnified }, 2 * GB);
    expect(performance.now() - began).toBeLessThan(1000);
  },
);

it.each([
  ["where the kernel holds memory", { folder: "/nowhere", isUnified: true }, ["sandbox/memory"]],
  ["but not where it is only counted", null, []],
])("a program that ended well is told of only once its limits are known, %s", async (_, memory, expected) => {
  const refused: string[] = [];
  const limits = { processes: 9, memoryBytes: GB, fileBytes: GB, diskBytes: GB };
  const supervision = superviseSandbox({
    watcher: {
      watch: ({ onExceeded }) => ({
        started() {},
        async ended() {
          await delay(50);
          onExceeded("Too much.", "memory");
        },
        end() {},
      }),
      async close() {},
    },
    limits,
    folders: [],
    memory,
    onRefused: ({ boundary, rule }) => void refused.push(`${boundary}/${rule}`),
    async onClose() {},
  });
  const program: ConfinedProcess = {
    pid: 17,
    output: (async function* () {})(),
    exit: Promise.resolve({ kind: "exited", code: 0 }),
    async stop() {},
  };
  await supervision.admit(program).exit;
  expect(refused).toEqual(expected);
});

it("removes old groups of every controller", () => {
  const left = ["pids/loom-999999999-aaaaaaaaaaaa", "memory/loom-999999999-aaaaaaaaaaaa"];
  const tree = createTree("5:pids:/\n4:memory:/\n", { "pids/tasks": "", "memory/tasks": "" });
  for (const folder of left) mkdirSync(join(tree.root, folder));
  removeOldGroups(Date.now() + 3_600_000, tree);
  expect(left.filter((folder) => existsSync(join(tree.root, folder)))).toEqual([]);
});

it.each([
  ["nobody was ended", { oom: 0, oom_kill: 0 }, false],
  ["somebody was ended at the limit", { oom: 2, oom_kill: 1 }, true],
  ["the machine had no memory left", { oom: 0, oom_kill: 1 }, false],
])("tells in one tree for all whether a limit was reached: %s", (_, events, expected) => {
  const folder = tempFolder();
  const lines = Object.entries({ low: 0, high: 0, max: 7, ...events, oom_group_kill: 0 });
  writeFileSync(join(folder, "memory.events"), lines.map(([name, count]) => `${name} ${count}\n`).join(""));
  expect(wasMemoryLimitReached({ folder, isUnified: true })).toBe(expected);
});

it.each([
  ["nobody was ended", 0, GB, false],
  ["somebody was ended at the limit", 1, GB - MB, true],
  ["the machine had no memory left", 1, GB / 2, false],
])("tells in a tree for memory alone whether a limit was reached: %s", (_, kills, most, expected) => {
  const folder = tempFolder();
  const files = {
    "memory.oom_control": `oom_kill_disable 0\nunder_oom 0\noom_kill ${kills}\n`,
    "memory.limit_in_bytes": `${GB}\n`,
    "memory.max_usage_in_bytes": `${most}\n`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  expect(wasMemoryLimitReached({ folder, isUnified: false })).toBe(expected);
});
