import { Transform } from "node:stream";
import type { Shape } from "../../../core/model-api/body-shape.ts";
import { examineJson } from "../../../core/model-api/examine-json.ts";
import { bodyRefusal, type ModelRefusal } from "../../../core/model-api/judge-model-request.ts";
import type { InTurn } from "./fair-queue.ts";

/** So much is examined at a time: even lists of single digits take no more than some milliseconds. */
const SLICE_BYTES = 16 * 1024;

const TOO_LONG: ModelRefusal = {
  rule: "a body that is too long",
  sentence: "Loom does not send this request to the model. Its body is longer than any that an agent needs.",
};

/**
 * Hands a body on as it is examined. A piece goes on only when nothing in it is refused, so that what is refused never
 * arrives whole, and a body that did not arrive whole is not acted on. `onRefused` is told once; the rest is swallowed.
 * It is examined in slices, `inTurn` with the other bodies of its sandbox, so that none of them holds up all of Loom (T25).
 */
export function examineBody(
  { shape, also }: { readonly shape: Shape; readonly also: readonly string[] },
  maxBytes: number,
  inTurn: InTurn,
  onRefused: (why: ModelRefusal) => void,
): Transform {
  const examiner = examineJson(shape, also);
  // Bytes that are no text could hide a quote from some readers and not from others.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let size = 0;
  let isRefused = false;
  const examine = (bytes: Buffer | null): ModelRefusal | null => {
    size += bytes?.length ?? 0;
    if (size > maxBytes) return TOO_LONG;
    try {
      const text = bytes === null ? decoder.decode() : decoder.decode(bytes, { stream: true });
      const fault = examiner.take(text) ?? (bytes === null ? examiner.end() : null);
      return fault && bodyRefusal(fault);
    } catch {
      return bodyRefusal({ kind: "not-json" });
    }
  };
  const refuse = (why: ModelRefusal | null): boolean => {
    if (why === null || isRefused) return isRefused;
    isRefused = true;
    onRefused(why);
    return true;
  };
  const body = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const slices = async (): Promise<void> => {
        for (let at = 0; at < chunk.length && !isRefused && !body.destroyed; at += SLICE_BYTES)
          refuse(await inTurn(() => examine(chunk.subarray(at, at + SLICE_BYTES))));
      };
      slices().then(() => (isRefused ? done() : done(null, chunk)), done);
    },
    flush(done) {
      if (isRefused) done();
      else inTurn(() => void refuse(examine(null))).then(() => done(), done);
    },
  });
  return body;
}
