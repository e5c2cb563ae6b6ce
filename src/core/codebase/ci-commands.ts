const MOST = 12;
const MOST_CHARS = 120;
const WORKFLOW = /^\.github\/workflows\/[^/]{1,100}\.ya?ml$/;
const RUN = /^([ \t]*(?:-[ \t]+)?)run:[ \t]*(.*)$/;

export function isWorkflow(path: string): boolean {
  return WORKFLOW.test(path);
}

/**
 * The commands that GitHub workflows run, as they are written there: how this project proves itself. Read line by line,
 * since only what stands behind `run:` matters; lines with expressions of the workflow mean nothing elsewhere.
 */
export function ciCommands(contents: ReadonlyMap<string, string>): string[] {
  const found = new Set<string>();
  for (const [path, text] of contents) {
    if (!isWorkflow(path)) continue;
    for (const command of commandsIn(text)) {
      if (found.size < MOST && isPlain(command)) found.add(command);
    }
  }
  return [...found];
}

function commandsIn(text: string): string[] {
  const commands: string[] = [];
  /** How far the step is indented whose block of commands goes on. */
  let block: number | null = null;
  for (const line of text.split("\n")) {
    const command = line.trim();
    if (block !== null && command !== "" && indentOf(line) > block) {
      commands.push(command);
      continue;
    }
    if (command !== "") block = null;
    const run = RUN.exec(line);
    if (!run) continue;
    const value = (run[2] ?? "").trim();
    if (/^[|>][-+0-9]{0,2}$/.test(value)) block = (run[1] ?? "").length;
    else commands.push(value);
  }
  return commands;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function isPlain(command: string): boolean {
  return (
    command !== "" && command.length <= MOST_CHARS && !command.includes("${{") && !command.startsWith("#")
  );
}
