import { UserError } from "../../core/errors.ts";
import type { Sha } from "../../core/ids.ts";
import { gateRuleFor, isHelperOfGate } from "../../core/verify/gate/gate-definition.ts";
import type { Tools } from "../../core/verify/gate/lay.ts";
import { toolsIn } from "../../core/verify/gate/lay-json.ts";
import {
  type GateBase,
  type GateCommand,
  namedByGate,
  placeOf,
} from "../../core/verify/gate/named-by-gate.ts";
import { isAskedFor, isCollectedTest, reachesBeyond } from "../../core/verify/gate/new-tests.ts";
import type { CommitContent } from "./check-content.ts";
import type { CheckDeps } from "./check-scene.ts";

/** What has to be laid over a commit so that its gate is the one of its base. */
export type GateOverlay = {
  /** Paths of the commit's change that define the gate, sorted. */
  readonly changed: readonly string[];
  /** Of these, the ones that are the base's as a whole. */
  readonly restore: readonly string[];
  /** The others, of which the base decides over a part. */
  readonly files: Readonly<Record<string, string>>;
  /** New tests among them: those that define nothing are left out of a run that is needed anyway. */
  readonly remove: readonly string[];
};

type At = { readonly commit: Sha; readonly base: Sha };

/** Lock files are large. */
const MOST_BYTES = 20_000_000;
/** A stage that writes more tests than this is read by people anyway. */
const MOST_NEW_TESTS = 200;

/**
 * None when the commit touches nothing that defines the gate: only names are looked at then, the base's own commands, and
 * new tests. Two when it also touches helpers of the gate: one of them could be what the gate proves, and to set that
 * back would hide that it is broken, so the rest is tried without them as well.
 */
export async function findGateChanges(
  deps: CheckDeps,
  at: At,
  content: CommitContent,
  commands: readonly GateCommand[],
): Promise<GateOverlay[]> {
  const paths = [...(await content.changed())].sort();
  if (paths.length === 0) return [];
  const base = await readGateBase(deps, at, content);
  const isInBase = (path: string): boolean => base.files.has(path) || base.links.has(path);
  const named = await namedByGate(base, commands, paths);
  // Only manifests of npm ask, and a repository can hold many.
  const tools = paths.some((path) => placeOf(path).name === "package.json")
    ? await findTools(base)
    : undefined;
  const restore: string[] = [];
  const remove: string[] = [];
  const files = new Map<string, string>();
  const helpers: string[] = [];
  for (const path of paths) {
    const rule = gateRuleFor(path, isInBase(path), named);
    if (rule === null) {
      if (isHelperOfGate(path, isInBase(path), named)) helpers.push(path);
      continue;
    }
    if (rule === "whole") {
      restore.push(path);
      continue;
    }
    const { workspace } = deps;
    const older = await workspace.readFile(at.base, path, MOST_BYTES);
    const newer = await workspace.readFile(at.commit, path, MOST_BYTES);
    // What can't be read, be it a link or too large, can't be taken apart either.
    const laid = newer === null || (older === null && isInBase(path)) ? older : rule(older, newer, tools);
    if (laid === newer && newer !== null) continue;
    if (laid === older) restore.push(path);
    else if (laid === null) remove.push(path);
    else files.set(path, laid);
  }
  const isOpen = (path: string): boolean =>
    !isInBase(path) && !files.has(path) && !restore.includes(path) && !remove.includes(path);
  const tests = await newTests(base, content, paths.filter(isOpen), commands);
  const certain = [...restore, ...remove, ...files.keys(), ...tests.reaching].sort();
  const overlay = (changed: readonly string[], more: readonly string[]): GateOverlay => ({
    changed,
    restore: [...restore, ...more],
    remove: [...remove, ...tests.all],
    files: Object.fromEntries(files),
  });
  return [
    ...(certain.length > 0 ? [overlay(certain, [])] : []),
    ...(helpers.length > 0 ? [overlay([...certain, ...helpers].sort(), helpers)] : []),
  ];
}

async function readGateBase(
  { workspace, patterns }: CheckDeps,
  { base }: At,
  content: CommitContent,
): Promise<GateBase> {
  return {
    files: new Set(await workspace.listFiles(base)),
    links: await workspace.links(base),
    read: content.readBase,
    globOf(pattern) {
      try {
        return patterns.glob(pattern);
      } catch (error) {
        if (error instanceof UserError) return () => false;
        throw error;
      }
    },
  };
}

async function findTools({ files, read }: GateBase): Promise<Tools> {
  const tools = new Set<string>();
  for (const path of files) {
    const { name } = placeOf(path);
    if (name !== "package.json" && name !== "package-lock.json") continue;
    for (const one of toolsIn(name, (await read(path)) ?? "")) tools.add(one);
  }
  return tools;
}

/** Where the base has no tests, new ones falsify none. Those that a command asks for by name are what it is about. */
async function newTests(
  { files }: GateBase,
  content: CommitContent,
  paths: readonly string[],
  commands: readonly GateCommand[],
): Promise<{ all: string[]; reaching: string[] }> {
  const texts = commands.map(({ command }) => command);
  const found = paths.filter((path) => isCollectedTest(path) && !isAskedFor(path, texts));
  const all = found.length > 0 && [...files].some(isCollectedTest) ? found : [];
  const reaching: string[] = [];
  for (const path of all.slice(0, MOST_NEW_TESTS)) {
    const text = await content.read(path);
    if (text === null || reachesBeyond(text)) reaching.push(path);
  }
  return { all, reaching };
}
