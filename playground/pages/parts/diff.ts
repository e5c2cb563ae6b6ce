import type { GitChangedFile } from "../../model/model-git.ts";
import { type Html, html } from "../html.ts";
import { icon } from "./icons.ts";
import { count } from "./moment.ts";

const LARGE = 400;
const MOST = 5000;

export function diffSummary(files: readonly GitChangedFile[]): Html {
  const plus = files.reduce((sum, file) => sum + file.additions, 0);
  const minus = files.reduce((sum, file) => sum + file.deletions, 0);
  return html`<p class="muted diff-summary">${count(files.length, "changed file")} with <strong class="good">${count(plus, "addition")}</strong> and <strong class="bad">${count(minus, "deletion")}</strong></p>`;
}

export function diff(files: readonly GitChangedFile[]): Html[] {
  return files.map((file, index) => {
    const lines = file.patch?.split("\n") ?? [];
    const moved = file.previousPath !== null && file.previousPath !== file.path;
    const note = { added: "new file", removed: "deleted", modified: "", renamed: "renamed" }[file.status];
    return html`<details class="box diff" id="diff-${index}"${lines.length <= LARGE && html` open`}><summary>${icon("file")}<code>${moved && html`${file.previousPath} → `}${file.path}</code>${note !== "" && html`<span class="badge">${note}</span>`}<span class="push"></span><span class="good">+${file.additions}</span> <span class="bad">−${file.deletions}</span></summary>${patch(file, lines)}</details>`;
  });
}

function patch(file: GitChangedFile, lines: readonly string[]): Html {
  if (file.patch === null) return html`<p class="padded muted">Binary file not shown.</p>`;
  if (lines.length === 0 || file.patch === "") return html`<p class="padded muted">No lines changed.</p>`;
  const left = lines.length - MOST;
  return html`<div class="scroll"><table class="lines"><tbody>${patchRows(lines.slice(0, MOST))}</tbody></table></div>${left > 0 && html`<p class="padded muted">${left} more lines are not shown.</p>`}`;
}

/** Rows of a table, from a patch that begins with `@@`. */
export function patchRows(lines: readonly string[]): Html[] {
  let before = 0;
  let after = 0;
  return lines.map((line) => {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (hunk !== null) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      return html`<tr class="hunk"><td></td><td></td><td>${line}</td></tr>`;
    }
    if (line.startsWith("+")) return row("added", "", after++, line);
    if (line.startsWith("-")) return row("removed", before++, "", line);
    if (line.startsWith("\\")) return row("note", "", "", line);
    if (line === "") return html``;
    return row("", before++, after++, line);
  });
}

function row(tone: string, before: number | "", after: number | "", line: string): Html {
  return html`<tr class="${tone}"><td data-line="${before}"></td><td data-line="${after}"></td><td>${line}</td></tr>`;
}
