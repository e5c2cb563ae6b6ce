import { html } from "../html.ts";
import { may } from "../may.ts";
import { textBox } from "../parts/form-parts.ts";
import { label } from "../parts/labels.ts";
import { avatar } from "../parts/people.ts";
import { type Answer, page, type RepositoryVisit } from "../visit.ts";

export function newIssuePage(visit: RepositoryVisit): Answer {
  const { repository, home, viewer } = visit;
  const choices =
    may(visit, "label") &&
    html`<fieldset class="checkboxes"><legend>Labels</legend>${[...repository.labels.keys()].map(
      (name) =>
        html`<label><input type="checkbox" name="label" value="${name}"> ${label(repository, name)}</label>`,
    )}</fieldset>`;
  const body = html`<h2>New issue</h2>
<form method="post" action="${home}/issues" class="write">${avatar(viewer, "big")}<div class="bubble padded">
<label for="title">Title</label><input id="title" name="title" required maxlength="256" autocomplete="off" autofocus placeholder="What should change?">
<label for="body">Description</label>${textBox({ name: "body", id: "body", label: "Description", placeholder: "Why, and how will you know that it is done?" })}
${choices}<footer><a class="button" href="${home}/issues">Cancel</a><button class="primary">Submit new issue</button></footer></div></form>`;
  return page(`New issue · ${repository.name}`, body);
}
