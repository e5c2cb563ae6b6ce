import { isId, type StageId } from "../ids.ts";
import { quote } from "../text/quote.ts";
import { unwrap } from "./split-words.ts";

/** null: no stage can be called that. Ids are lower case, so a capital letter is no reason to ask back. */
export function toStage(word: string): StageId | null {
  const id = unwrap(word).toLowerCase();
  return isId(id) ? id : null;
}

export function notAStage(word: string): string {
  return `${quote(word)} is not the name of a stage: those have small letters, digits and dashes.`;
}
