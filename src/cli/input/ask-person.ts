import { createInterface } from "node:readline/promises";

/** Asks whoever sits at the terminal; null when they leave, by Ctrl-C or Ctrl-D, instead of answering. */
export async function askPerson(question: string): Promise<string | null> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const left = new Promise<null>((resolve) => {
      lines.once("SIGINT", () => resolve(null));
      lines.once("close", () => resolve(null));
    });
    return await Promise.race([lines.question(question), left]);
  } finally {
    lines.close();
  }
}
