import type { ReviewThread } from "../../playground/model/types.ts";
import type { GitHubWorld } from "./github-world.ts";
import { readRemarks, readReviews, type ShownRemark } from "./read-remarks.ts";
import { finds, pushTo, scriptNow, type ToldFinding, told } from "./task-talk.ts";

/** What a test of audits says to a world and sees of it; the world changes from test to test. */
export function auditTalk(world: () => GitHubWorld) {
  const remarks = (number: number): ShownRemark[] => readRemarks(world().repository, number);
  return {
    remarks,
    reviews: (number: number): string[] => readReviews(world().repository, number, world().bot),
    threads: (number: number): ReviewThread[] => world().get(number).pull?.threads ?? [],
    /** `a.txt:2 open` */
    places: (number: number): string[] => remarks(number).map(placeOf),
    /** `a.txt:2 open The title` */
    states: (number: number): string[] =>
      remarks(number).map((one) => `${placeOf(one)} ${/\*\* (.*)/.exec(one.said[0] ?? "")?.[1] ?? ""}`),
    /** A review that ends with these findings, and what it says in the thread. */
    async review(
      pull: number,
      list: readonly ToldFinding[],
      earlier: Readonly<Record<string, "fixed" | "stands">> = {},
    ): Promise<string> {
      const states = Object.entries(earlier).map(([id, state]) => ({ id, state }));
      await scriptNow(world(), { audit: finds(list, { earlier: states }) });
      return told(world(), pull, "review");
    },
    push: (files: Readonly<Record<string, string | null>>): Promise<string> =>
      pushTo(world(), world().repository, "work", files),
  };
}

function placeOf({ path, lines, resolved }: ShownRemark): string {
  return `${path}:${lines} ${resolved ? "resolved" : "open"}`;
}

export function headline(comment: string): string {
  return comment.split("\n", 1)[0] ?? "";
}

/** A file of so many lines, some of them others. */
export function numbered(count: number, changed: Readonly<Record<number, string>> = {}): string {
  return Array.from({ length: count }, (_, index) => `${changed[index + 1] ?? `line ${index + 1}`}\n`).join(
    "",
  );
}
