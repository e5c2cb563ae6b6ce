import { assertPlace } from "../wiring/folders/place-trouble.ts";

export const CHOOSE_TREES = "Set LOOM_TREES to a folder that you may write to.";

/** The folder need not exist yet. */
export function assertTreesFolder(folder: string): Promise<void> {
  return assertPlace("Work trees", folder, CHOOSE_TREES);
}
