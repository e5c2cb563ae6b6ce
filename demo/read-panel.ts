/** A row of the table in Loom's panel. */
export type PanelRow = {
  readonly stage: string;
  /** Such as "working" or "resolving (3rd try)". */
  readonly state: string;
  /** Such as "#7"; empty before there is one. */
  readonly pull: string;
};

/** What a person reads in the panel of a run, row by row; empty for any other comment. */
export function readPanel(body: string): PanelRow[] {
  return body.includes("<!-- loom:panel") ? readStageTable(body) : [];
}

function readStageTable(body: string): PanelRow[] {
  return readTable(body, "Stage").flatMap(([, stage = "", state = "", pull = ""]) => {
    const id = /^`([^`]+)`/.exec(stage)?.[1];
    return id === undefined ? [] : [{ stage: id, state: state.replace(/:.*$/, ""), pull }];
  });
}

/** The cells of the Markdown table that has this column. */
export function readTable(body: string, column: string): string[][] {
  const lines = body.split("\n");
  const start = lines.findIndex((line) => line.startsWith("|") && cells(line).includes(column));
  if (start < 0) return [];
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith("|"));
  return rows.slice(0, end < 0 ? rows.length : end).map(cells);
}

function cells(line: string): string[] {
  return line
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}
