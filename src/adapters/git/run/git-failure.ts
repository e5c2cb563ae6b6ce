const SHOWN = 600;

/** Git ended with a code that nobody expected. */
export class GitFailure extends Error {
  readonly command: string;
  readonly code: number;
  readonly stderr: string;

  constructor(command: string, code: number, stderr: string) {
    const said = stderr.trim();
    const shown = said.length > SHOWN ? `${said.slice(0, SHOWN)}…` : said;
    super(`failed to run git ${command} (exit code ${code})${shown === "" ? "" : `: ${shown}`}`);
    this.name = "GitFailure";
    this.command = command;
    this.code = code;
    this.stderr = stderr;
  }
}

/** Git was ended because it took too long, or because Loom is about to stop. */
export class GitTimeout extends Error {
  constructor(command: string, ms: number) {
    super(`failed to run git ${command}: it did not end within ${Math.round(ms / 1000)} s`);
    this.name = "GitTimeout";
  }
}
