import { InternalError } from "../../../errors.ts";
import { isId, type RunId, type StageId } from "../../../ids.ts";

/**
 * Hidden first lines that say which run a panel or a pull request belongs to, for whoever reads them with a program. Loom
 * never reads them back; no escaped text can hold one.
 */
export type Marker =
  | { readonly kind: "panel" | "plan"; readonly run: RunId }
  | { readonly kind: "stage"; readonly run: RunId; readonly stage: StageId };

export function writeMarker(marker: Marker): string {
  const words = marker.kind === "stage" ? [marker.run, marker.stage] : [marker.run];
  for (const word of words) {
    if (!isId(word)) throw new InternalError(`${JSON.stringify(word)} can't stand in a marker`);
  }
  return `<!-- loom:${marker.kind} ${words.join(" ")} -->`;
}
