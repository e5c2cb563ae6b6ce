import { type Html, trustHtml } from "../html.ts";

/** Drawn for this project on a 16 by 16 grid with 1.5 wide strokes, so that they follow the text's colour. */
const SHAPES = {
  issue: '<circle cx="8" cy="8" r="6.2"/><circle cx="8" cy="8" r="1.2" class="solid"/>',
  issueClosed: '<circle cx="8" cy="8" r="6.2"/><path d="M5.2 8.2 7.2 10.2 10.9 6.2"/>',
  notPlanned: '<circle cx="8" cy="8" r="6.2"/><path d="M4.9 11.1 11.1 4.9"/>',
  pull: '<circle cx="4" cy="3.5" r="1.6"/><circle cx="4" cy="12.5" r="1.6"/><circle cx="12" cy="12.5" r="1.6"/><path d="M4 5.1v5.8M12 10.9V6.5a2 2 0 0 0-2-2H7.5M9.3 2.4 7.2 4.5l2.1 2.1"/>',
  pullClosed:
    '<circle cx="4" cy="3.5" r="1.6"/><circle cx="4" cy="12.5" r="1.6"/><circle cx="12" cy="12.5" r="1.6"/><path d="M4 5.1v5.8M12 10.9V8M10 2.2l4 4M14 2.2l-4 4"/>',
  draft:
    '<circle cx="4" cy="3.5" r="1.6"/><circle cx="4" cy="12.5" r="1.6"/><circle cx="12" cy="12.5" r="1.6"/><path d="M4 5.1v5.8M12 8.7v.1M12 5.6v.1M12 2.6v.1"/>',
  merge:
    '<circle cx="4" cy="3.5" r="1.6"/><circle cx="4" cy="12.5" r="1.6"/><circle cx="12" cy="8.5" r="1.6"/><path d="M4 5.1v5.8M4 5.2c.5 2.2 3 3.3 6.4 3.3"/>',
  check: '<path d="M3 8.6 6.4 12 13 4.6"/>',
  cross: '<path d="M4 4l8 8M12 4l-8 8"/>',
  dot: '<circle cx="8" cy="8" r="3.4" class="solid"/>',
  ring: '<path d="M8 2.2a5.8 5.8 0 1 1-5.8 5.8" class="spin"/>',
  skip: '<circle cx="8" cy="8" r="6.2"/><path d="M5.2 8h5.6"/>',
  alert: '<path d="M8 2.2 14.4 13.4H1.6zM8 6.6v3.1M8 11.4v.1"/>',
  square: '<rect x="3.2" y="3.2" width="9.6" height="9.6" rx="1.6"/>',
  clock: '<circle cx="8" cy="8" r="6.2"/><path d="M8 4.4V8l2.4 1.6"/>',
  folder:
    '<path d="M1.8 4.2a1 1 0 0 1 1-1h3.2l1.5 1.7h5.7a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H2.8a1 1 0 0 1-1-1z"/>',
  file: '<path d="M3.6 2.8a1 1 0 0 1 1-1h4.6l3.2 3.2v8.2a1 1 0 0 1-1 1H4.6a1 1 0 0 1-1-1zM9 2v3.2h3.2"/>',
  branch:
    '<circle cx="4.5" cy="3.5" r="1.6"/><circle cx="4.5" cy="12.5" r="1.6"/><circle cx="11.5" cy="4.5" r="1.6"/><path d="M4.5 5.1v5.8M11.5 6.1c0 2.4-4 2.2-6.4 4.6"/>',
  commit: '<circle cx="8" cy="8" r="2.6"/><path d="M1.2 8h4M10.8 8h4"/>',
  code: '<path d="M5.4 4.6 2 8l3.4 3.4M10.6 4.6 14 8l-3.4 3.4"/>',
  label:
    '<path d="M2.2 3.2a1 1 0 0 1 1-1h4.3l6.3 6.3-5.3 5.3-6.3-6.3z"/><circle cx="5.2" cy="5.2" r=".8" class="solid"/>',
  comment:
    '<path d="M2 3.6a1 1 0 0 1 1-1h10a1 1 0 0 1 1 1v6.6a1 1 0 0 1-1 1H7.4l-3 2.6v-2.6H3a1 1 0 0 1-1-1z"/>',
  eye: '<path d="M1.4 8S4 3.6 8 3.6 14.6 8 14.6 8 12 12.4 8 12.4 1.4 8 1.4 8z"/><circle cx="8" cy="8" r="1.9"/>',
  smile: '<circle cx="8" cy="8" r="6.2"/><path d="M5.3 9.4c1.3 2 4.1 2 5.4 0M5.9 6.2v.1M10.1 6.2v.1"/>',
  send: '<path d="M14 2 1.8 7.2l4.6 2.2L8.8 14z M6.4 9.4 14 2"/>',
  again: '<path d="M13 8a5 5 0 1 1-1.6-3.7M13.2 1.8v3h-3"/>',
  bot: '<rect x="2.6" y="5.4" width="10.8" height="7.8" rx="2"/><path d="M8 5.2V2.4M6 8.6v1.4M10 8.6v1.4"/>',
  queue: '<path d="M2.4 3.6h11.2M2.4 8h11.2M2.4 12.4h6"/>',
  trash: '<path d="M2.6 4.4h10.8M6 4.2V2.4h4v1.8M4 4.6l.7 9h6.6l.7-9"/>',
  loom: '<path d="M2.2 2.2v11.6M6 2.2v11.6M10 2.2v11.6M13.8 2.2v11.6M2.2 5.2h11.6M2.2 8h3.8M10 8h3.8M2.2 10.8h11.6"/>',
} as const;

export type IconName = keyof typeof SHAPES;

export function icon(name: IconName, tone = ""): Html {
  return trustHtml(
    `<svg class="icon${tone === "" ? "" : ` ${tone}`}" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">${SHAPES[name]}</svg>`,
  );
}
