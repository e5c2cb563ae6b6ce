import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { runGit } from "../playground/git/run-git.ts";
import { formatLocalMoment } from "../src/cli/output/local-moment.ts";
import { messageOf } from "../src/core/errors.ts";
import { renderRunPage } from "../src/core/report/page/render-run-page.ts";
import { mergedCount } from "../src/core/report/terminal/run-counts.ts";
import type { RunEvent } from "../src/core/run/events.ts";
import type { Run } from "../src/core/run/run.ts";
import { counted, formatDuration } from "../src/core/text/durations.ts";
import { inDemoWorld } from "./in-demo-world.ts";
import { createNarrator, type Narrator } from "./narrator.ts";
import type { DemoWorld } from "./open-demo-world.ts";
import { playStory } from "./play-story.ts";
import { readRecord } from "./read-record.ts";
import { watchGitHub } from "./watch-github.ts";

/**
 * The whole story, by itself: an issue becomes a plan, the approved plan becomes pull requests, those become merged code.
 * GitHub is a look-alike on this machine and the agent follows a script; everything between them is the real thing.
 */
async function tellStory(demo: DemoWorld, narrator: Narrator, wanted: string | undefined): Promise<void> {
  const begin = Date.now();
  const { repository, github } = demo;
  const issue = repository.issues.get(demo.issue);
  narrator.show(
    `GitHub's look-alike:  ${github.url}/ada/wordcount\n` +
      `Loom:                 \`loom app\`${demo.store === "redis" ? " and `loom worker`, connected by Redis" : ", with its jobs and ledgers in files"}\n` +
      "Planner and agents:   follow demo/task-script.ts and demo/script.yaml:\n" +
      "                      no model, no key\n",
  );
  if (demo.noSandbox !== null) narrator.show(`${demo.noSandbox}\n`);
  narrator.tell("wes", `has opened #${demo.issue} ${issue?.title ?? ""}`);
  const watch = watchGitHub(demo, ({ who, text, tone }) => narrator.tell(who, text, tone));
  const { run: id } = await playStory(demo, watch, narrator);
  watch.stop();
  const { run, events } = await readRecord(repository.gitDir, repository.defaultBranch, id);
  const log = await runGit(repository.gitDir, ["log", "--reverse", "--format=  %h  %s  (%an)", "main"]);
  const reportFile = await chooseReportFile(wanted);
  await writeFile(reportFile, renderRunPage(run, events, { formatTime: formatLocalMoment }));
  narrator.head("What main looks like now (git log --reverse):");
  narrator.show(log.stdout.trimEnd());
  narrator.head(summarize(run, events, Date.now() - begin));
  narrator.show(`\nThe report of the run:  ${reportFile}`);
  narrator.show("Try it yourself:        npm run playground");
}

function summarize(run: Run, events: readonly RunEvent[], elapsed: number): string {
  const attempts = [...run.stages.values()].reduce((sum, one) => sum + one.attempts, 0);
  const failed = events.filter(({ type }) => type === "attempt-failed").length;
  const conflicts = events.filter(({ type }) => type === "merge-conflicted").length;
  return (
    `Done in ${formatDuration(elapsed)}: ${mergedCount(run)} of ${counted(run.stages.size, "stage")} merged in ${counted(attempts, "attempt")};\n` +
    `${failed} failed and ${failed === 1 ? "was" : "were"} tried again, ${counted(conflicts, "merge conflict")} ${conflicts === 1 ? "was" : "were"} resolved.`
  );
}

async function chooseReportFile(wanted: string | undefined): Promise<string> {
  if (wanted === undefined) return join(await mkdtemp(join(tmpdir(), "loom-report-")), "report.html");
  const file = resolve(wanted);
  await mkdir(dirname(file), { recursive: true });
  return file;
}

try {
  const { values } = parseArgs({ options: { report: { type: "string" } } });
  const narrator = createNarrator(process.stdout, process.env);
  narrator.show("Opening a GitHub look-alike and starting Loom …");
  const redisUrl = process.env.REDIS_URL?.trim() || null;
  const code = await inDemoWorld({ redisUrl }, (demo) => tellStory(demo, narrator, values.report)).finally(
    () => narrator.end(),
  );
  if (code !== 0) console.error("The demo was stopped, and everything was removed.");
  process.exit(code);
} catch (error) {
  console.error(`The demo failed: ${messageOf(error)}`);
  process.exit(1);
}
