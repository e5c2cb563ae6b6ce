import type { ErrandId } from "../../core/errand/errand.ts";
import { isForgettable } from "../../core/errand/is-forgettable.ts";
import type { ErrandEngine } from "./errand-engine.ts";

type Keeper = Pick<ErrandEngine, "errands" | "errandStore" | "errandFiles" | "now">;

/** Where no service sweeps: removes what nobody has touched for long. One that can't be read stays for a person to look at. */
export async function forgetOldErrands(engine: Keeper): Promise<void> {
  const now = engine.now();
  for (const id of await engine.errandStore.list()) {
    const errand = await engine.errands.load(id).catch(() => null);
    if (!errand || !isForgettable(errand, now)) continue;
    await removeErrand(engine, id);
    engine.errands.forget(id);
  }
}

export async function removeErrand(
  { errandFiles, errandStore }: Pick<Keeper, "errandFiles" | "errandStore">,
  id: ErrandId,
): Promise<void> {
  await errandFiles.remove(id);
  await errandStore.remove(id);
}
