import type { Subjects } from "../../model/people/subjects.ts";
import type { Change, Issue, Login } from "../../model/types.ts";
import type { World } from "../../model/world.ts";

/** What happened to an issue or pull request and is not kept in the model itself. */
export type TimelineEvent = { readonly at: number; readonly by: Login } & (
  | { readonly kind: "labeled" | "unlabeled"; readonly label: string }
  | { readonly kind: "renamed"; readonly from: string; readonly to: string }
  | { readonly kind: "retargeted"; readonly from: string; readonly to: string }
  | { readonly kind: "reopened" | "ready_for_review" | "converted_to_draft" | "enqueued" | "dequeued" }
);

const timelines = new WeakMap<World, WeakMap<Issue, TimelineEvent[]>>();

/**
 * Starts to note events for the pages. Calling it again does nothing. Only what happens after the first call is known,
 * so whoever starts a world calls it early; the first page does it otherwise.
 */
export function watchTimeline(world: World): void {
  if (timelines.has(world)) return;
  const events = new WeakMap<Issue, TimelineEvent[]>();
  timelines.set(world, events);
  world.subscribe((change) => {
    if (change.event !== "issues" && change.event !== "pull_request") return;
    const subject = change.subject as Subjects["issues"] & Subjects["pull_request"];
    const found = readEvent(change, subject, world.clock.now());
    if (found !== null) events.set(subject.issue, [...(events.get(subject.issue) ?? []), found]);
  });
}

export function timelineOf(world: World, issue: Issue): readonly TimelineEvent[] {
  return timelines.get(world)?.get(issue) ?? [];
}

function readEvent(change: Change, subject: Subjects["pull_request"], at: number): TimelineEvent | null {
  const base = { at, by: change.sender };
  switch (change.action) {
    case "labeled":
    case "unlabeled":
      return subject.label === undefined ? null : { ...base, kind: change.action, label: subject.label };
    case "reopened":
    case "ready_for_review":
    case "converted_to_draft":
    case "enqueued":
    case "dequeued":
      return { ...base, kind: change.action };
    case "edited": {
      const { title, base: moved } = subject.changes ?? {};
      if (moved !== undefined) {
        return { ...base, kind: "retargeted", from: moved.ref.from, to: subject.issue.pull?.baseRef ?? "" };
      }
      return title === undefined
        ? null
        : { ...base, kind: "renamed", from: title.from, to: subject.issue.title };
    }
    default:
      return null;
  }
}
