import { realpathSync } from "node:fs";

/** Without links; as it is given where it leads nowhere. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
