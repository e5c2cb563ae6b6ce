/** What is said of a result that did not reach its reader. */
export const outputTexts = {
  lost: (reason: string): string => `Standard output can't be written: ${reason}.`,
  lostNext: (): string =>
    "Make room there or send it elsewhere, then try again. `loom status` shows what came of a run.",
  taskKept: (file: string): string => `No agent has to work for it twice: what it told stands in ${file}.`,
};
