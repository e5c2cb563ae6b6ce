import type { ServerResponse } from "node:http";
import { setImmediate as nextTick } from "node:timers/promises";
import type { PlainStep } from "./choose-step.ts";
import { nativeCall } from "./native-call.ts";
import type { Frame, Protocol, Turn } from "./protocol.ts";
import type { SeenRequest } from "./seen-request.ts";
import type { CutStep, ErrorStep, HangStep, StepError, StepUsage } from "./step.ts";

export type Asked = {
  readonly protocol: Protocol;
  readonly request: SeenRequest;
  readonly stream: boolean;
  readonly response: ServerResponse;
  /** Makes ids that no other answer has. */
  readonly id: string;
};

const USAGE: StepUsage = { input: 1_000, output: 50 };

/** For what breaks off after it looked well. */
const BEGINNING = "I begin to say something, and then I stop in";

/** Plays a step to whoever asked. A hang returns at once and leaves the connection as it is. */
export async function sendAnswer(asked: Asked, step: PlainStep): Promise<void> {
  const { protocol, stream, response } = asked;
  if ("error" in step) return sendError(asked, step);
  if ("hang" in step) return hang(asked, step);
  if ("cut" in step) return cut(asked, step);
  const turn = turnOf(asked, step);
  if (!stream) return sendJson(response, 200, protocol.whole(turn));
  beginStream(response);
  await writeFrames(response, protocol.frames(turn));
  response.end();
}

/** The provider's refusal in the provider's shape. */
export function sendFailure(response: ServerResponse, protocol: Protocol, error: StepError): void {
  const { status, body } = protocol.failure(error);
  const retry = error.retryAfter === undefined ? {} : { "retry-after": String(error.retryAfter) };
  sendJson(response, status, body, { ...retry, ...error.headers });
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", "request-id": "req_011loom", ...headers });
  response.end(JSON.stringify(body));
}

async function sendError(asked: Asked, { error }: ErrorStep): Promise<void> {
  const { protocol, stream, response } = asked;
  if (error.inStream !== true || !stream) return sendFailure(response, protocol, error);
  const turn = turnOf(asked, { say: BEGINNING });
  beginStream(response);
  await writeFrames(response, [
    ...protocol.frames(turn).slice(0, 1),
    protocol.failureFrame(turn, protocol.failure(error)),
  ]);
  response.end();
}

function hang({ response }: Asked, { hang: how }: HangStep): void {
  if (how !== "after-headers") return;
  beginStream(response);
  response.flushHeaders();
}

/** Half of the frames, half of the next line, and the connection is gone. */
async function cut(asked: Asked, step: CutStep): Promise<void> {
  const { protocol, response } = asked;
  const frames = protocol.frames(turnOf(asked, { say: step.say ?? BEGINNING }));
  const half = Math.max(1, Math.floor(frames.length / 2));
  beginStream(response);
  await writeFrames(response, frames.slice(0, half));
  const line = frames
    .slice(half, half + 1)
    .map(serialise)
    .join("");
  await new Promise<void>((sent) => response.write(line.slice(0, line.length / 2), () => sent()));
  response.destroy();
}

function turnOf({ request, id }: Asked, step: Exclude<PlainStep, ErrorStep | HangStep | CutStep>): Turn {
  const { input, output, cached = 0 } = step.usage ?? USAGE;
  return {
    id,
    model: request.model ?? "unknown",
    say: step.say ?? "",
    calls: "tools" in step ? step.tools.map((call) => nativeCall(call, request.tools)) : [],
    usage: { input, output, cached },
  };
}

function beginStream(response: ServerResponse): void {
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    "request-id": "req_011loom",
  });
}

/** Each frame is a write of its own, so that readers meet them in pieces. */
async function writeFrames(response: ServerResponse, frames: readonly Frame[]): Promise<void> {
  for (const frame of frames) {
    response.write(serialise(frame));
    await nextTick();
  }
}

function serialise({ event, data }: Frame): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  return `${name}data: ${data === "[DONE]" ? data : JSON.stringify(data)}\n\n`;
}
