/**
 * Tells what Loom wrote from what others wrote to the same store (T32). A signature covers every part, in order and each
 * with its length, so that it fits nothing else: no other text, and no other place.
 */
export interface Seal {
  sign(parts: readonly string[]): string;
  /** By the key of today or by one that was replaced and still counts. */
  isSigned(parts: readonly string[], signature: string): boolean;
}
