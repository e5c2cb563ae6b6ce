import { EventEmitter } from "node:events";

/**
 * A terminal reduced to what Loom uses of one: it obeys the escapes and shows what a person would see. Anything it does
 * not know is an error, so that nothing slips by.
 */
export class SmallScreen extends EventEmitter {
  readonly isTTY = true;
  columns: number;
  rows: number;
  /** Everything that was ever visible; the screen is the last `rows` of it. */
  private lines: string[] = [""];
  private row = 0;
  private column = 0;
  private wraps = true;
  cursorVisible = true;
  title = "bash";
  private titles: string[] = [];
  writes = 0;
  written = "";

  constructor(columns: number, rows: number) {
    super();
    this.columns = columns;
    this.rows = rows;
  }

  write(text: string): boolean {
    this.writes += 1;
    this.written += text;
    let rest = text;
    while (rest !== "") rest = rest.slice(this.take(rest));
    return true;
  }

  resize(columns: number, rows: number): void {
    // Lines break anew, and the cursor moves along with its text.
    const reflow = (lines: readonly string[]): string[] =>
      lines.flatMap((line) => this.broken(line, columns));
    this.row = reflow(this.lines.slice(0, this.row)).length;
    this.lines = reflow(this.lines);
    this.columns = columns;
    this.rows = rows;
    this.emit("resize");
  }

  /** What stands on the screen and above it. */
  text(): string {
    return this.lines
      .map((line) => line.trimEnd())
      .join("\n")
      .trimEnd();
  }

  private broken(line: string, columns: number): string[] {
    const text = line.trimEnd();
    const parts: string[] = [];
    for (let at = 0; at < text.length; at += columns) parts.push(text.slice(at, at + columns));
    return parts.length === 0 ? [""] : parts;
  }

  private take(text: string): number {
    const title = /^\u001b\]2;([^\u0007]*)\u0007/.exec(text);
    if (title) {
      this.title = title[1] ?? "";
      return title[0].length;
    }
    const command = /^\u001b\[([?\d;]*)([A-Za-z])/.exec(text);
    if (command) {
      this.obey(command[1] ?? "", command[2] ?? "");
      return command[0].length;
    }
    const char = text[0] ?? "";
    if (char === "\r") this.column = 0;
    else if (char === "\n") this.down();
    else if (char < " ") throw new Error(`unexpected control character ${JSON.stringify(char)}`);
    else this.put(char);
    return 1;
  }

  private obey(parameters: string, name: string): void {
    const line = this.lines[this.row] ?? "";
    switch (`${parameters.startsWith("?") ? parameters : ""}${name}`) {
      case "A":
        this.row = Math.max(this.lines.length - this.rows, 0, this.row - Number(parameters || "1"));
        return;
      case "K":
        this.lines[this.row] = line.slice(0, this.column);
        return;
      case "J":
        this.lines[this.row] = line.slice(0, this.column);
        this.lines.length = this.row + 1;
        return;
      case "?25l":
      case "?25h":
        this.cursorVisible = name === "h";
        return;
      case "?7l":
      case "?7h":
        this.wraps = name === "h";
        return;
      case "t":
        if (parameters === "22;2") this.titles.push(this.title);
        else this.title = this.titles.pop() ?? this.title;
        return;
      case "m":
      case "?2026h":
      case "?2026l":
        return;
      default:
        throw new Error(`unexpected escape ${parameters}${name}`);
    }
  }

  private put(char: string): void {
    if (this.column >= this.columns) {
      if (!this.wraps) this.column = this.columns - 1;
      else {
        this.down();
        this.column = 0;
      }
    }
    const line = (this.lines[this.row] ?? "").padEnd(this.column);
    this.lines[this.row] = line.slice(0, this.column) + char + line.slice(this.column + 1);
    this.column += 1;
  }

  // A terminal in its usual mode returns the carriage as well.
  private down(): void {
    this.row += 1;
    this.column = 0;
    if (this.row >= this.lines.length) this.lines.push("");
  }
}
