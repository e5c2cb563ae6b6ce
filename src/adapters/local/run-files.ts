import { lstat, mkdir, readdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import * as z from "zod";
import { InternalError, UserError } from "../../core/errors.ts";
import { isId, type RunId } from "../../core/ids.ts";
import { table } from "../../core/table.ts";
import type { Heartbeat, KeptFiles, RunFiles, SessionLog } from "../../ports/run-files.ts";
import { replaceFile } from "../os/replace-file.ts";
import { openLogFile } from "./log-file.ts";

const FOLDERS = ["prompts", "logs", "heartbeats", "reports"] as const;
type Folder = (typeof FOLDERS)[number];
/** Says when they were removed to make room. */
const SWEPT = "swept";

const MAX_LOG_BYTES = 10 * 1024 * 1024;
/** Reports and prompts are read by people, and by what they have run on them. */
const FOR_PEOPLE = 0o666;
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const heartbeatSchema = z.object({
  stage: z.string(),
  attempt: z.int(),
  session: z.string(),
  at: z.string(),
  activity: z.string().nullable(),
  lastTool: z.string().nullable().optional(),
  contextPercent: z.number().nullable().optional(),
});

/**
 * Files in `<root>/<run>/`, beside the ledger. Those that are written whole appear whole: a reader sees the old text or
 * the new one. Names are checked here once more, since they become paths.
 */
export function createRunFiles(options: { root: string; maxLogBytes?: number }): RunFiles {
  const { root, maxLogBytes = MAX_LOG_BYTES } = options;
  const folderOf = (run: RunId, folder: Folder) => join(root, checkedId(run), folder);
  const noteOf = (run: RunId) => join(root, checkedId(run), SWEPT);

  return {
    writePrompt: (run, session, text) =>
      writeWhole(folderOf(run, "prompts"), `${checkedName(session)}.md`, text),

    openLog(run, stage, attempt) {
      if (!Number.isSafeInteger(attempt)) throw new InternalError(`attempt ${attempt} is not a number`);
      return openLogFile(join(folderOf(run, "logs"), `${checkedId(stage)}.${attempt}.log`), maxLogBytes);
    },

    async readLogs(run, stage) {
      const pattern = new RegExp(`^${checkedId(stage)}\\.(\\d+)\\.log$`);
      const logs: SessionLog[] = [];
      for (const path of await filesIn(folderOf(run, "logs"))) {
        const attempt = pattern.exec(basename(path))?.[1];
        if (attempt) logs.push({ attempt: Number(attempt), path, text: await readFile(path, "utf8") });
      }
      return logs.sort((a, b) => a.attempt - b.attempt);
    },

    async writeHeartbeat(run, beat) {
      await writeWhole(folderOf(run, "heartbeats"), `${checkedId(beat.stage)}.json`, JSON.stringify(beat));
    },

    async readHeartbeats(run) {
      const beats: Heartbeat[] = [];
      for (const path of await filesIn(folderOf(run, "heartbeats"), ".json")) {
        const beat = parseHeartbeat(await readFile(path, "utf8"));
        if (beat !== null) beats.push(beat);
      }
      return beats;
    },

    writeReport: (run, name, text) => writeWhole(folderOf(run, "reports"), `${checkedName(name)}.md`, text),

    async readReports(run) {
      const reports: Record<string, string> = table();
      for (const path of await filesIn(folderOf(run, "reports"), ".md")) {
        reports[basename(path, ".md")] = await readFile(path, "utf8");
      }
      return reports;
    },

    remove,

    async kept() {
      const found: KeptFiles[] = [];
      for (const run of (await namesIn(root)).filter(isId)) {
        const sizes = await Promise.all(FOLDERS.map((folder) => sizeOf(folderOf(run, folder))));
        const bytes = sizes.reduce((sum, one) => sum + one.bytes, 0);
        if (bytes > 0) found.push({ run, bytes, touchedAt: Math.max(...sizes.map((one) => one.touchedAt)) });
      }
      return found;
    },

    async sweep(run, at) {
      const note = noteOf(run);
      // First, so that a crash leaves no run that seems to have written nothing. On a full disk there is room for it afterwards.
      const isNoted = await writeFile(note, at).then(
        () => true,
        () => false,
      );
      await removeFolders(run);
      if (!isNoted) await writeFile(note, at);
    },

    async sweptAt(run) {
      const text = await readFile(noteOf(run), "utf8").catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return null;
        throw error;
      });
      return text === null || Number.isNaN(Date.parse(text)) ? null : text;
    },
  };

  async function removeFolders(run: RunId): Promise<void> {
    for (const folder of FOLDERS) await rm(folderOf(run, folder), { recursive: true, force: true });
  }

  async function remove(run: RunId): Promise<void> {
    await removeFolders(run);
    await rm(noteOf(run), { force: true });
    // Stays while a ledger lies in it.
    await rmdir(join(root, checkedId(run))).catch(() => undefined);
  }
}

/** Of the files in a folder; none of them is a folder. */
async function sizeOf(folder: string): Promise<{ bytes: number; touchedAt: number }> {
  let bytes = 0;
  let touchedAt = 0;
  for (const name of await namesIn(folder)) {
    const found = await lstat(join(folder, name)).catch(() => null);
    bytes += found?.size ?? 0;
    touchedAt = Math.max(touchedAt, found?.mtimeMs ?? 0);
  }
  return { bytes, touchedAt };
}

async function writeWhole(folder: string, name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(folder, { recursive: true });
  await replaceFile(path, text, { mode: FOR_PEOPLE });
  return path;
}

/** Sorted; empty when there is no such folder. Drafts of writers that died are left out. */
async function filesIn(folder: string, ending = ""): Promise<string[]> {
  const names = await namesIn(folder);
  const wanted = names.filter((name) => !name.startsWith(".") && name.endsWith(ending));
  return wanted.sort().map((name) => join(folder, name));
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}

function parseHeartbeat(text: string): Heartbeat | null {
  try {
    return heartbeatSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function checkedId(id: string): string {
  if (isId(id)) return id;
  throw new UserError(`${JSON.stringify(id)} is not the name of a run or a stage.`, { exitCode: 2 });
}

function checkedName(name: string): string {
  if (FILE_NAME.test(name)) return name;
  throw new InternalError(`${JSON.stringify(name)} can't be the name of a file`);
}
