import { type Html, html } from "../html.ts";

/** Empty states teach: what would be here, and how it gets here. */
export function blank(title: string, hint: Html | string): Html {
  return html`<div class="blank"><h2>${title}</h2><p>${hint}</p></div>`;
}

export function textBox(options: {
  readonly name: string;
  readonly id: string;
  readonly label: string;
  readonly placeholder: string;
  readonly value?: string;
  readonly required?: boolean;
}): Html {
  return html`<label class="unseen" for="${options.id}">${options.label}</label><textarea id="${options.id}" name="${options.name}" rows="5" placeholder="${options.placeholder}" maxlength="65536"${options.required && html` required`}>
${options.value ?? ""}</textarea>`;
}
