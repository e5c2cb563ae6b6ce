import { InternalError } from "../../core/errors.ts";
import { isId } from "../../core/ids.ts";

/** Before a name becomes part of a ref or a route (T14). */
export function assertIds(...names: readonly string[]): void {
  const wrong = names.find((name) => !isId(name));
  if (wrong !== undefined) throw new InternalError(`${JSON.stringify(wrong)} is not an id`);
}
