import { resolve } from "node:path";
import { chooseHarness } from "../../core/config/settings/settings.ts";
import { UserError } from "../../core/errors.ts";
import { diskWords, type Finding, renderFindings } from "../../core/report/commands/doctor-report.ts";
import { configTexts } from "../../core/report/texts/config-texts.ts";
import { nextWords } from "../../core/report/texts/next-words.ts";
import { startTexts } from "../../core/report/texts/start-texts.ts";
import type { Run } from "../../core/run/run.ts";
import { treesFolder } from "../../wiring/folders/cache-folder.ts";
import { homeFolder } from "../../wiring/folders/home-folder.ts";
import { findPlaceTrouble } from "../../wiring/folders/place-trouble.ts";
import { assertTemporaryFolder } from "../../wiring/folders/temporary-folder.ts";
import { loadPolicy } from "../../wiring/load-policy.ts";
import { openRoster } from "../../wiring/load-roster.ts";
import { type Local, openLocal } from "../../wiring/local.ts";
import { loadPromptTexts, promptFolders } from "../../wiring/prompt-texts.ts";
import { allRuns } from "../input/pick-run.ts";
import { usableConfig } from "../input/usable-config.ts";
import { type Io, say } from "../io.ts";
import { wantsColor } from "../output/wants-color.ts";
import { headOf } from "../task/local-change.ts";
import { CHOOSE_TREES } from "../trees-folder.ts";

const OLDEST_NODE: readonly [number, number] = [20, 18];

/** `loom doctor`: what Loom needs, what it found, and what to do about the difference. Changes nothing. */
export async function doctor(io: Io, options: { json: boolean }): Promise<number> {
  const findings = [
    checkNode(),
    await checkFolder(io),
    checkRoster(io),
    ...(await refusalOf("prompts", () => readPrompts(io.env))),
    ...(await checkRepository(io)),
  ];
  if (options.json)
    say(io, JSON.stringify({ healthy: findings.every((one) => one.state !== "wrong"), findings }));
  else io.stdout.write(renderFindings(findings, wantsColor(io.stdout, io.env)));
  return findings.some((one) => one.state === "wrong") ? 1 : 0;
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const ok = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  return finding(
    ok ? "fine" : "wrong",
    "Node",
    process.versions.node,
    ok ? null : `Install Node ${OLDEST_NODE.join(".")} or newer.`,
  );
}

/** What would stop a command later, told now: nothing when it would not. */
async function refusalOf(what: string, act: () => unknown): Promise<Finding[]> {
  try {
    await act();
    return [];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [finding("wrong", what, error.message, nextWords(error.next, "terminal") || null)];
  }
}

function readPrompts(env: Io["env"]): void {
  loadPromptTexts({ folders: promptFolders(env, homeFolder(env)) });
}

async function checkFolder(io: Io): Promise<Finding> {
  const folder = resolve(io.cwd, treesFolder(io.env));
  const trouble = await findPlaceTrouble(folder);
  return trouble === null
    ? finding("fine", "work trees", folder, null)
    : finding("wrong", "work trees", trouble, CHOOSE_TREES);
}

/** The files that agents are made of: one that can't be used stops every run. */
function checkRoster(io: Io): Finding {
  try {
    const { roster, warnings } = openRoster(io.env);
    const count = `${roster.agents.size} agents${roster.disabled.size > 0 ? `, ${roster.disabled.size} disabled` : ""}`;
    return warnings.length === 0
      ? finding("fine", "roster", count, null)
      : finding("notice", "roster", count, warnings.join(" "));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return finding("wrong", "roster", error.message, nextWords(error.next, "terminal") || null);
  }
}

async function checkRepository(io: Io): Promise<Finding[]> {
  try {
    const local = await openLocal({
      cwd: io.cwd,
      env: io.env,
      feed: () => {},
      runsAgents: true,
      // Broken ones are told by themselves.
      ownAgents: "if-usable",
    });
    try {
      return [
        finding("fine", "git", await gitVersion(local), null),
        finding("fine", "repository", local.repository.root ?? local.repository.commonDir, null),
        branchFinding(local),
        finding("fine", "disk", diskWords(await local.disk.use()), null),
        ...(await refusalOf("commit", () => headOf(local))),
        ...(await checkConfig(local)),
        sandboxFinding(local),
        ...(await checkHarnesses(local, io.env)),
        ...(await checkRuns(local)),
      ];
    } finally {
      await local.close();
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [
      finding("wrong", await whatIsWrong(io), error.message, nextWords(error.next, "terminal") || null),
    ];
  }
}

/** Tells what agents need and can't have from all else that keeps Loom from starting. Nothing is run. */
async function whatIsWrong(io: Io): Promise<string> {
  const opens = async (): Promise<void> => {
    const local = await openLocal({ cwd: io.cwd, env: io.env, feed: () => {}, runsAgents: false });
    await local.close();
  };
  if (!(await isUsable(opens))) return "repository";
  if (!(await isUsable(assertTemporaryFolder))) return "temporary files";
  return (await isUsable(() => loadPolicy(io.env))) ? "sandbox" : "shell rules";
}

async function isUsable(use: () => unknown): Promise<boolean> {
  try {
    await use();
    return true;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}

async function gitVersion(local: Local): Promise<string> {
  const { stdout } = await local.git.refs({ command: "version" });
  return stdout.trim().replace(/^git version /, "");
}

function branchFinding({ repository }: Local): Finding {
  const { currentBranch } = repository;
  return currentBranch === null
    ? finding("notice", "branch", "HEAD is detached", "Name the branch to merge into with --into BRANCH.")
    : finding("fine", "branch", currentBranch, null);
}

async function checkConfig(local: Local): Promise<Finding[]> {
  const reading = await local.readConfig();
  const wrong = await refusalOf("loom.yml", () => usableConfig(reading));
  // Which agents it names in vain can't be told while some of them can't be read.
  if (wrong.length > 0 || local.agents.problem) return wrong;
  return reading.problems.map((problem) => finding("notice", "loom.yml", configTexts.warning(problem), null));
}

function sandboxFinding({ engine }: Local): Finding {
  const { detail, warning, next } = engine.sandboxes.report;
  return warning === null
    ? finding("fine", "sandbox", detail, null)
    : finding("notice", "sandbox", warning, next);
}

async function checkHarnesses(local: Local, env: Io["env"]): Promise<Finding[]> {
  const checks = await Promise.all(
    local.agents.harnesses.map(async (id) => ({ id, check: await local.engine.harness(id).check() })),
  );
  const chosen = chosenHarness(env);
  const anyReady = checks.some(({ check }) => check.kind === "ready");
  // One agent is enough: the chosen one, or any when none is chosen; then the first is missed.
  return checks.map(({ id, check }, index) => {
    if (check.kind === "ready") return finding("fine", `agent ${id}`, check.detail, null);
    const isMissed = chosen === null ? !anyReady && index === 0 : id === chosen;
    return finding(isMissed ? "wrong" : "notice", `agent ${id}`, check.reason, check.next);
  });
}

function chosenHarness(env: Io["env"]): string | null {
  try {
    return chooseHarness(env);
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

async function checkRuns(local: Local): Promise<Finding[]> {
  const { runs, unreadable } = await allRuns(local.engine);
  const damaged = unreadable.map(({ id, reason }) =>
    finding("notice", "run", startTexts.unreadable(id, reason), startTexts.forgetUnreadable(id)),
  );
  const open = await Promise.all(
    runs.filter(isUnfinished).map(async (run) => {
      const holder = await local.lease.holder(run.id);
      return holder
        ? finding("fine", "run", `${run.id} is going on in process ${holder.pid}`, null)
        : finding(
            "notice",
            "run",
            `${run.id} was left unfinished`,
            `\`loom resume ${run.id}\` goes on, \`loom cancel ${run.id}\` ends it.`,
          );
    }),
  );
  return [...damaged, ...open];
}

function isUnfinished(run: Run): boolean {
  return run.status === "running";
}

function finding(state: Finding["state"], what: string, detail: string, next: string | null): Finding {
  return { state, what, detail, next };
}
