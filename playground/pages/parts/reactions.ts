import type { Reaction, ReactionContent } from "../../model/types.ts";
import { type Html, html } from "../html.ts";
import { may } from "../may.ts";
import type { RepositoryVisit } from "../visit.ts";
import { icon } from "./icons.ts";

const FACES: Readonly<Record<ReactionContent, string>> = {
  "+1": "👍",
  "-1": "👎",
  laugh: "😄",
  hooray: "🎉",
  confused: "😕",
  heart: "❤️",
  rocket: "🚀",
  eyes: "👀",
};

export function isReaction(text: string): text is ReactionContent {
  return Object.hasOwn(FACES, text);
}

/** `target` is the number of the issue's own text ("body") or the id of a comment. */
export function reactions(
  visit: RepositoryVisit,
  issue: number,
  target: string,
  given: readonly Reaction[],
): Html {
  const allowed = may(visit, "react");
  const contents = Object.keys(FACES) as ReactionContent[];
  const shown = contents.flatMap((content) => {
    const who = given.filter((reaction) => reaction.content === content).map((reaction) => reaction.user);
    if (who.length === 0) return [];
    const mine = who.includes(visit.viewer);
    return html`<button class="reaction${mine ? " mine" : ""}" name="content" value="${content}" title="${who.join(", ")}" aria-label="${`${content}: ${who.join(", ")}`}"${!allowed && html` disabled`}>${FACES[content]} <span>${who.length}</span></button>`;
  });
  if (!allowed && shown.length === 0) return html``;
  const more =
    allowed &&
    html`<details class="menu" id="react-${target}"><summary class="reaction add" aria-label="Add a reaction">${icon("smile")}</summary><div class="popover faces">${contents.map(
      (content) =>
        html`<button name="content" value="${content}" aria-label="${content}">${FACES[content]}</button>`,
    )}</div></details>`;
  return html`<form method="post" action="${visit.home}/issues/${issue}/reactions" class="reactions"><input type="hidden" name="target" value="${target}">${more}${shown}</form>`;
}
