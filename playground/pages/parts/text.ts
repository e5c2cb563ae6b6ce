import type { World } from "../../model/world.ts";
import { type Html, html } from "../html.ts";
import { type MarkdownOptions, renderMarkdown } from "../markdown/render-markdown.ts";
import type { RepositoryVisit } from "../visit.ts";

/** What somebody wrote in a comment, an issue or a check. */
export function text(visit: RepositoryVisit, markdown: string, options: Partial<MarkdownOptions> = {}): Html {
  if (markdown.trim() === "")
    return html`<div class="markdown"><p class="muted"><em>No description provided.</em></p></div>`;
  const { world, repository, home } = visit;
  const known = remembered.get(world) ?? new Map<string, Html>();
  remembered.set(world, known);
  // People and issues are only ever added, so their numbers tell whether a reference could have become a link.
  const key = [
    home,
    options.relativeTo,
    options.breaks,
    world.github.users.size,
    repository.issues.size,
    markdown,
  ].join("\n");
  const rendered =
    known.get(key) ??
    renderMarkdown(markdown, {
      breaks: true,
      repository: home,
      isUser: (login) => world.github.users.has(login),
      isIssue: (number) => repository.issues.has(number),
      ...options,
    });
  known.set(key, rendered);
  const oldest = known.keys().next().value;
  if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
  return html`<div class="markdown">${rendered}</div>`;
}

/** Open pages ask again every second or two, and most of what they show has not changed. */
const remembered = new WeakMap<World, Map<string, Html>>();
const REMEMBERED = 500;

/** The few marks that titles and one-line summaries carry: `code`. */
export function titleText(title: string): Html {
  const pieces = title.split(/(`[^`]+`)/);
  return html`${pieces.map((piece, index) => (index % 2 === 1 ? html`<code>${piece.slice(1, -1)}</code>` : piece))}`;
}
