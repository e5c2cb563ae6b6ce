import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { chooseStep, type Played } from "./choose-step.ts";
import { object } from "./json.ts";
import { readRequest } from "./read-request.ts";
import type { SeenRequest } from "./seen-request.ts";
import { sendAnswer, sendFailure, sendJson } from "./send-answer.ts";
import type { Script, ScriptRule } from "./step.ts";

export type ModelServerOptions = {
  /** For the agent's turns that no rule takes. */
  readonly script: Script;
  readonly rules?: readonly ScriptRule[];
  /** Without these, any key is good. */
  readonly keys?: readonly string[];
  /** What a list of models names. */
  readonly models?: readonly string[];
};

export type ModelServer = {
  /** Without a path: what comes behind it is the protocol's. */
  readonly url: string;
  readonly port: number;
  /** All that was asked so far, refused or not. */
  requests(): readonly SeenRequest[];
  /** The first request, seen already or yet to come, for which it holds. */
  waitFor(predicate: (request: SeenRequest) => boolean): Promise<SeenRequest>;
  /** Ends all that hangs, too. */
  close(): Promise<void>;
};

/**
 * A model that does what a script says, on a port of its own on loopback. It speaks the streaming protocols of
 * Anthropic, OpenAI (both) and Gemini, told apart by path, so that one server can serve any agent CLI. It keeps no
 * conversation: each request brings the whole of it, which is also what decides about the step, see `choose-step.ts`.
 */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const seen: SeenRequest[] = [];
  const waiting = new Set<Waiting>();
  const played: Played = new WeakMap();
  const note = (request: SeenRequest): number => {
    const number = seen.push(request);
    for (const one of waiting) {
      if (!one.predicate(request)) continue;
      waiting.delete(one);
      one.resolve(request);
    }
    return number;
  };
  const server = createServer((incoming, response) => {
    answer(incoming, response, options, played, note).catch((error: unknown) => {
      // A script that can't be played must be seen, and not be tried again.
      const message = error instanceof Error ? error.message : String(error);
      if (response.headersSent) response.destroy();
      else sendJson(response, 400, { type: "error", error: { type: "script_error", code: 400, message } });
    });
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve(Number(object(server.address()).port)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests: () => [...seen],
    waitFor: (predicate) => {
      const found = seen.find(predicate);
      if (found !== undefined) return Promise.resolve(found);
      return new Promise((resolve, reject) => waiting.add({ predicate, resolve, reject }));
    },
    close: () =>
      new Promise((resolve) => {
        for (const { reject } of waiting)
          reject(new Error("the model server was closed before such a request came"));
        waiting.clear();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Waiting = {
  readonly predicate: (request: SeenRequest) => boolean;
  readonly resolve: (request: SeenRequest) => void;
  readonly reject: (error: Error) => void;
};

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  options: ModelServerOptions,
  played: Played,
  note: (request: SeenRequest) => number,
): Promise<void> {
  const asked = await readRequest(incoming);
  if (asked === null) {
    const status = incoming.method === "HEAD" ? 200 : 404;
    return sendJson(response, status, { error: { message: "not found" } });
  }
  const { protocol, request, stream } = asked;
  const id = `loom${note(request)}`;
  if (options.keys !== undefined && !options.keys.includes(request.key ?? ""))
    return sendFailure(response, protocol, { status: 401 });
  switch (request.purpose) {
    case "list":
      return sendJson(response, 200, modelList(options.models ?? ["loom-model"]));
    case "count":
      return sendJson(response, 200, protocol.count(Math.ceil(JSON.stringify(request.body).length / 4)));
    case "turn":
    case "aside": {
      const script = scriptFor(request, options);
      return sendAnswer({ protocol, request, stream, response, id }, chooseStep(script, request, played));
    }
  }
}

function scriptFor(request: SeenRequest, { script, rules = [] }: ModelServerOptions): Script {
  const rule = rules.find(({ of = "turns", when }) => of === `${request.purpose}s` && when(request));
  return rule?.script ?? (request.purpose === "turn" ? script : [{ say: "ok" }]);
}

/** The lists of all providers in one: they use different fields. */
function modelList(names: readonly string[]): unknown {
  return {
    object: "list",
    data: names.map((id) => ({ id, object: "model", type: "model", display_name: id, owned_by: "loom" })),
    has_more: false,
    models: names.map((id) => ({
      name: `models/${id}`,
      displayName: id,
      supportedGenerationMethods: ["generateContent", "countTokens"],
    })),
  };
}
