/** What the live output changed about the terminal, and how to change it back and forth. */
export type Guarded = { restore(): void; takeBack(): void };

/**
 * Gives the terminal back whenever the process stops using it: at its end, a crash included, and while Ctrl-Z has it
 * suspended. The way to end on SIGINT and SIGTERM is the command's own business; `exit` comes after it.
 */
export function guardTerminal(guarded: Guarded): () => void {
  const onExit = (): void => guarded.restore();
  const onSuspend = (): void => {
    guarded.restore();
    // The listener took the place of the default, so the stop itself has to be asked for.
    process.kill(process.pid, "SIGSTOP");
  };
  const onContinue = (): void => guarded.takeBack();
  process.on("exit", onExit);
  if (process.platform !== "win32") {
    process.on("SIGTSTP", onSuspend);
    process.on("SIGCONT", onContinue);
  }
  return () => {
    process.off("exit", onExit);
    process.off("SIGTSTP", onSuspend);
    process.off("SIGCONT", onContinue);
  };
}
