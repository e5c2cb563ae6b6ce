import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import * as z from "zod";
import { InternalError, UserError } from "../../core/errors.ts";
import { isId, type RunId } from "../../core/ids.ts";
import { table } from "../../core/table.ts";
import type { Heartbeat, RunFiles, SessionLog } from "../../ports/run-files.ts";
import { openLogFile } from "./log-file.ts";

const FOLDERS = ["signals", "logs", "heartbeats", "reports"] as const;
type Folder = (typeof FOLDERS)[number];

const MAX_LOG_BYTES = 10 * 1024 * 1024;
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

  return {
    writeSignal: (run, session, text) =>
      writeWhole(folderOf(run, "signals"), `${checkedName(session)}.md`, text),

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

    async remove(run) {
      for (const folder of FOLDERS) await rm(folderOf(run, folder), { recursive: true, force: true });
    },
  };
}

async function writeWhole(folder: string, name: string, text: string): Promise<string> {
  const path = join(folder, name);
  const draft = join(folder, `.${randomUUID()}`);
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(draft, text);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return path;
}

/** Sorted; empty when there is no such folder. Drafts of writers that died are left out. */
async function filesIn(folder: string, ending = ""): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const wanted = names.filter((name) => !name.startsWith(".") && name.endsWith(ending));
  return wanted.sort().map((name) => join(folder, name));
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
