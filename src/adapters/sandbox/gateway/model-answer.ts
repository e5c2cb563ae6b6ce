import type { IncomingMessage, ServerResponse } from "node:http";
import { PassThrough, pipeline, Transform } from "node:stream";
import { createBrotliDecompress, createUnzip } from "node:zlib";
import { handHeadOn } from "./http/answer.ts";
import { catchThrown } from "./http/catch-thrown.ts";
import { forwardHeaders, withSingles } from "./http/forward-headers.ts";
import { replaceStream } from "./http/replace-stream.ts";
import type { KeySwap } from "./key-swap.ts";

/** So much of an error is kept for people. */
const KEPT_BYTES = 4096;

export type AnswerEnd = {
  /** The beginning of an answer that is an error, without the key; null for all others. */
  readonly onHead: (body: string | null) => void;
  /** null: it came to its end, or the sandbox stopped listening. */
  readonly onEnd: (error: Error | null) => void;
};

/**
 * Hands a model's answer on while it comes, without the key that its headers or its body may repeat. The body is decoded
 * first where the provider packed it although it was asked not to: in packed bytes no key can be found. False: it is packed
 * in a way that can't be undone here, and nothing was handed on. Throws when its head can't be handed on.
 */
export function handModelAnswerOn(
  incoming: IncomingMessage,
  response: ServerResponse,
  swap: KeySwap,
  placeholder: string,
  end: AnswerEnd,
): boolean {
  const decoder = decoderFor(incoming.headers["content-encoding"]);
  if (decoder === null) return false;
  const status = incoming.statusCode ?? 0;
  const headers = Object.fromEntries(
    Object.entries(forwardHeaders(incoming)).map(([name, values]) => [
      swap.hide(name),
      values.map(swap.hide),
    ]),
  );
  const hasBody = response.req.method !== "HEAD" && status !== 204 && status !== 304;
  // The length may change on the way through.
  if (hasBody) delete headers["content-length"];
  if (hasBody) delete headers["content-encoding"];
  handHeadOn(response, status, withSingles(headers));
  const breakOff = (): unknown => incoming.destroy();
  const kept = status >= 400 && hasBody ? keepHead(catchThrown(end.onHead, breakOff)) : new PassThrough();
  if (status < 400 || !hasBody) end.onHead(null);
  // Whoever ends first is the cause: a sandbox that stops listening is no fault of the model's.
  let isSandboxGone = false;
  response.once("close", () => {
    isSandboxGone = !response.writableFinished && !incoming.errored && !decoder.errored;
  });
  const tellEnd = (error: Error | null): void => end.onEnd(error && !isSandboxGone ? error : null);
  pipeline(
    incoming,
    decoder,
    replaceStream(swap.secrets, placeholder),
    kept,
    response,
    catchThrown(tellEnd, breakOff),
  );
  return true;
}

function decoderFor(encoding: string | undefined): Transform | null {
  switch ((encoding ?? "identity").trim().toLowerCase()) {
    case "":
    case "identity":
      return new PassThrough();
    case "gzip":
    case "x-gzip":
    case "deflate":
      return createUnzip();
    case "br":
      return createBrotliDecompress();
    default:
      return null;
  }
}

/** Lets everything through and tells the beginning as text, once: when it is long enough, or at the end however that comes. */
function keepHead(onHead: (body: string) => void): Transform {
  let chunks: Buffer[] | null = [];
  let size = 0;
  const tell = (): void => {
    if (chunks === null) return;
    // The last character may be cut in two; it is left out.
    const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, KEPT_BYTES), { stream: true });
    chunks = null;
    onHead(text);
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      chunks?.push(chunk);
      size += chunk.length;
      if (size >= KEPT_BYTES) tell();
      done(null, chunk);
    },
    flush(done) {
      tell();
      done();
    },
    destroy(error, done) {
      tell();
      done(error);
    },
  });
}
