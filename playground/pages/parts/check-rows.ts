import type { CheckRun } from "../../model/types.ts";
import { type Html, html } from "../html.ts";
import type { RepositoryVisit } from "../visit.ts";
import { duration } from "./moment.ts";
import { checkIcon, checkLook } from "./state.ts";

export function checkRows(
  visit: RepositoryVisit,
  runs: readonly CheckRun[],
  required: readonly string[] = [],
): Html[] {
  const missing = required.filter((name) => !runs.some((run) => run.name === name));
  return [
    ...runs.map((run) => {
      const app = visit.world.github.apps.find(({ id }) => id === run.app);
      const took = run.completedAt === null ? "" : ` in ${duration(run.startedAt, run.completedAt)}`;
      return html`<div class="row check">${checkIcon(run)}<div class="grow"><a href="${visit.home}/runs/${run.id}"><strong>${run.name}</strong></a> <span class="muted">${app?.name} — ${run.title ?? `${checkLook(run).word}${took}`}</span></div>${required.includes(run.name) && html`<span class="badge">Required</span>`}<a href="${visit.home}/runs/${run.id}">Details</a></div>`;
    }),
    ...missing.map(
      (name) =>
        html`<div class="row check">${checkIcon({ status: "queued", conclusion: null })}<div class="grow"><strong>${name}</strong> <span class="muted">Expected — nobody has reported it yet</span></div><span class="badge">Required</span></div>`,
    ),
  ];
}
