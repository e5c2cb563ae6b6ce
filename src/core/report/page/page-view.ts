import type { Millis, StageId } from "../../ids.ts";
import type { RunEvent } from "../../run/events.ts";
import type { Run } from "../../run/run.ts";
import { type Html, html } from "./html.ts";

/** What every part of the page needs. */
export type PageView = {
  readonly run: Run;
  readonly events: readonly RunEvent[];
  /** The last event: for a run that goes on, the page shows that moment. */
  readonly now: Millis;
  /** Where a stage's part of the page begins; ids of stages come from the plan, so they are not used themselves. */
  anchor(stage: StageId): string;
  /** As the reader counts, with the time in UTC behind it. */
  moment(at: string): Html;
  /** A link where it leads somewhere. */
  pull(number: number): Html;
};

export type RunPageOptions = {
  /** A moment where the reader is, to the second. */
  readonly formatTime: (at: Millis) => string;
  /** Where pull requests are, such as https://github.com; null leaves their numbers without links. */
  readonly siteUrl?: string | null;
};

export function createPageView(run: Run, events: readonly RunEvent[], options: RunPageOptions): PageView {
  const places = new Map([...run.stages.keys()].map((id, index) => [id, index + 1]));
  return {
    run,
    events,
    now: Date.parse(events.at(-1)?.at ?? run.createdAt),
    anchor: (stage) => `stage-${places.get(stage) ?? 0}`,
    moment: (at) =>
      html`<time datetime="${at}" title="${at.slice(0, 19).replace("T", " ")} UTC">${options.formatTime(Date.parse(at))}</time>`,
    pull(number) {
      const { origin } = run;
      // Only the web: an address of another kind in front of a name would make it code.
      if (!origin || !options.siteUrl || !/^https?:\/\//.test(options.siteUrl)) return html`#${number}`;
      const path = [origin.repo.owner, origin.repo.name].map(encodeURIComponent).join("/");
      return html`<a href="${options.siteUrl.replace(/(?<!\/)\/+$/, "")}/${path}/pull/${number}">#${number}</a>`;
    },
  };
}
