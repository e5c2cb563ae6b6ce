import { UserError } from "../core/errors.ts";
import { startTexts } from "../core/report/texts/start-texts.ts";

export function unknownHarness(id: string, known: readonly string[]): never {
  throw new UserError(startTexts.noHarness(id), { next: startTexts.noHarnessNext(known), exitCode: 2 });
}
