import { shallowest } from "./shallowest.ts";

/** Where stages of the type `knowledge` write, and where people may put what agents should know. */
const FOLDERS = ["doc/loom/knowledge/", ".loom/knowledge/"];
/** In the order of their worth to an agent: said to agents, learned by agents, said to people. */
const BEFORE = ["agents.md", "claude.md", ".github/copilot-instructions.md", "gemini.md"];
const AFTER = [
  "architecture.md",
  "docs/architecture.md",
  "doc/architecture.md",
  "contributing.md",
  ".github/contributing.md",
  "docs/contributing.md",
  "readme.md",
];
const MOST = 40;

/** The files in which a repository says what one should know about it, most valuable first. */
export function knowledgeFiles(paths: readonly string[]): readonly string[] {
  const named = new Map<string, string>();
  const learned: string[] = [];
  for (const path of paths) {
    const lower = path.toLowerCase();
    if (BEFORE.includes(lower) || AFTER.includes(lower)) named.set(lower, named.get(lower) ?? path);
    else if (lower.endsWith(".md") && FOLDERS.some((folder) => path.startsWith(folder))) learned.push(path);
  }
  const pick = (names: readonly string[]): string[] => names.flatMap((name) => named.get(name) ?? []);
  return [...pick(BEFORE), ...shallowest(learned, MOST), ...pick(AFTER)];
}
