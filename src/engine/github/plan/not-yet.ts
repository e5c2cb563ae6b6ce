/** A delivery that can't be acted on at this moment, and can be shortly. */
export class NotYet extends Error {
  override name = "NotYet";
}
