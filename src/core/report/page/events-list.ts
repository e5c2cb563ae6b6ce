import type { RunEvent } from "../../run/events.ts";
import { counted } from "../../text/durations.ts";
import { shortSha } from "../terminal/run-counts.ts";
import { type Html, html } from "./html.ts";
import type { PageView } from "./page-view.ts";

const MAX_EVENTS = 3_000;

/** The ledger, for whoever wants to know exactly. */
export function eventsList(view: PageView): Html {
  const shown = view.events.slice(-MAX_EVENTS);
  const rows = shown.map(
    (event) =>
      html`<tr><td class="tight">${view.moment(event.at)}</td><td class="tight">${event.type.replaceAll("-", " ")}</td><td class="tight mono">${"stage" in event ? event.stage : ""}</td><td>${about(event)}</td></tr>`,
  );
  const left = view.events.length - shown.length;
  return html`<details class="wide"><summary>${counted(view.events.length, "event")} of the ledger${left > 0 ? `, the last ${shown.length}` : ""}</summary><div class="scroll"><table><thead><tr><th>When</th><th>What</th><th>Stage</th><th>More</th></tr></thead><tbody>${rows}</tbody></table></div></details>`;
}

/** The fields that say something to a person, in a fixed order. */
function about(event: RunEvent): string {
  const said: string[] = [];
  if ("attempt" in event) said.push(`attempt ${event.attempt}`);
  if ("by" in event) said.push(`by ${event.by}`);
  if ("pr" in event && event.pr != null) said.push(`#${event.pr}`);
  if ("commit" in event) said.push(shortSha(event.commit));
  if ("merged" in event) said.push(`as ${shortSha(event.merged)}`);
  if ("files" in event) said.push(event.files.join(", "));
  if ("moreFiles" in event && event.moreFiles) said.push(`and ${event.moreFiles} more files`);
  if ("failure" in event) said.push(event.failure.message);
  if ("reason" in event && event.reason) said.push(event.reason);
  if ("question" in event) said.push(event.question);
  if ("answer" in event) said.push(event.answer);
  if ("status" in event) said.push(event.status);
  if ("harness" in event) said.push(event.harness);
  return said.join(" · ");
}
