import { notFound } from "../../model/refusal.ts";
import { table } from "../../table.ts";
import type { Answer, RepositoryVisit } from "../visit.ts";
import { findPlace } from "./code-page.ts";

/** Only pictures get their own type: everything else is plain text, so that a pushed page is never run. */
const PICTURES: Readonly<Record<string, string>> = table({
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  svg: "image/svg+xml",
});

export async function rawFile(visit: RepositoryVisit, refAndPath: string): Promise<Answer> {
  const place = await findPlace(visit, refAndPath);
  const { git } = visit.world;
  const { gitDir } = visit.repository;
  const entry = place === null ? null : await git.entry(gitDir, place.commit, place.path);
  const bytes = entry?.kind === "file" ? await git.blob(gitDir, entry.sha) : null;
  if (place === null || bytes === null) throw notFound();
  const type = PICTURES[place.path.split(".").at(-1)?.toLowerCase() ?? ""] ?? "text/plain; charset=utf-8";
  return { kind: "file", type, bytes };
}
