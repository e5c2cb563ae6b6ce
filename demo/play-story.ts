import { addComment } from "../playground/model/issues/add-comment.ts";
import { addLabel } from "../playground/model/issues/add-label.ts";
import { closeIssue } from "../playground/model/issues/close-issue.ts";
import type { Issue } from "../playground/model/types.ts";
import type { Narrator } from "./narrator.ts";
import type { DemoWorld } from "./open-demo-world.ts";
import { planInWords } from "./plan-in-words.ts";
import type { Watch } from "./watch-github.ts";

const APPROVE = "loom: approve";
/** Many times what it takes: a busy machine is no reason to give up. */
const PATIENCE_MS = 600_000;

/** The people's part: they ask, read, approve and say thanks. Everything else is done by Loom. */
export async function playStory(demo: DemoWorld, watch: Watch, narrator: Narrator): Promise<{ run: string }> {
  const { repository } = demo;
  const { world } = demo.github;
  const issue = repository.issues.get(demo.issue);
  if (!issue) throw new Error("the demo's issue is gone");
  addComment(world, repository, issue, { by: "wes", body: "/loom run" });

  await until(demo, "the planner's question", () => issue.comments.some(({ body }) => isQuestion(body)));
  addComment(world, repository, issue, { by: "wes", body: "1a" });

  const plan = await until(demo, "Loom to open the plan", () => pulls(demo).find(isPlan));
  await until(demo, "Loom's answer", () =>
    issue.comments.some(({ body }) => body.includes(`#${plan.number}`)),
  );
  narrator.head(`What #${plan.number} asks for:`);
  for (const line of planInWords(plan.body)) narrator.show(line);
  narrator.show("");

  // Triagers may set labels, but not approve.
  addLabel(world, repository, plan, { by: "tia", label: APPROVE });
  await until(
    demo,
    "Loom to refuse tia's approval",
    () => plan.comments.some(({ author }) => author === demo.bot) && !plan.labels.includes(APPROVE),
  );
  addLabel(world, repository, plan, { by: "ada", label: APPROVE });

  narrator.whileSilent(() => stillAtWork(watch));
  await until(demo, "the end of the run", () => {
    assertNotStuck(issue);
    return plan.pull?.merged && issue.labels.includes("loom: done");
  });
  addComment(world, repository, issue, { by: "wes", body: "Thank you, that is what I wanted." });
  closeIssue(world, repository, issue, { by: "wes" });
  const run = /^loom\/(.+)\.plan$/.exec(plan.pull?.headRef ?? "")?.[1] ?? "";
  return { run };
}

/** As the thread shows it: the planner's questions say how to answer them. */
function isQuestion(body: string): boolean {
  return body.includes("/loom answer 1b");
}

function pulls({ repository }: DemoWorld): Issue[] {
  return [...repository.issues.values()].filter(({ pull }) => pull !== null);
}

function isPlan({ pull }: Issue): boolean {
  return pull?.headRef.endsWith(".plan") === true;
}

function stillAtWork({ stages }: Watch): string {
  const busy = [...stages.values()].filter(({ state }) =>
    /^(working|verifying|merging|resolving)/.test(state),
  );
  return busy.length === 0 ? "" : `still working on ${busy.map(({ stage }) => stage).join(", ")}`;
}

/** Whoever watches would have to act now, and nobody does. */
function assertNotStuck({ labels, comments }: Issue): void {
  const stuck = labels.find((label) => label === "loom: blocked" || label === "loom: needs human");
  if (stuck === undefined) return;
  throw new Error(`The run is stuck ("${stuck}"). The panel says:\n\n${comments.at(-1)?.body ?? ""}`);
}

/** Looks again whenever something happened on GitHub. */
async function until<T>(demo: DemoWorld, what: string, look: () => T): Promise<NonNullable<T>> {
  const found = look();
  if (found) return found;
  return new Promise((resolve, reject) => {
    const finish = (): void => {
      clearTimeout(timer);
      stop();
    };
    const timer = setTimeout(() => {
      finish();
      reject(new Error(`Gave up after waiting ten minutes for ${what}.`));
    }, PATIENCE_MS);
    const stop = demo.github.world.subscribe(() => {
      try {
        const now = look();
        if (!now) return;
        finish();
        resolve(now);
      } catch (error) {
        finish();
        reject(error);
      }
    });
  });
}
