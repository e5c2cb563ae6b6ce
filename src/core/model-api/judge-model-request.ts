import type { BodyFault } from "./examine-json.ts";
import type { ModelApi, ModelEndpoint } from "./model-api.ts";

export type ModelRequest = {
  readonly method: string;
  /** What follows the address of the model, with its query. */
  readonly path: string;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
};

/** Why a request does not reach the model: what was tried, in a few words for lists, and a sentence for whoever tried. */
export type ModelRefusal = { readonly rule: string; readonly sentence: string };

export type ModelJudgement =
  | { readonly kind: "allowed"; readonly endpoint: ModelEndpoint }
  | ({ readonly kind: "refused" } & ModelRefusal);

/**
 * Whether a request is one of those that the CLI needs, and comes with the placeholder and no other credential. Paths and
 * parameters are compared as they stand: whatever is encoded, doubled or spelled in another way is nothing that is known.
 */
export function judgeModelRequest(request: ModelRequest, api: ModelApi, placeholder: string): ModelJudgement {
  const mark = request.path.indexOf("?");
  const path = mark < 0 ? request.path : request.path.slice(0, mark);
  const parameters =
    mark < 0
      ? []
      : request.path
          .slice(mark + 1)
          .split("&")
          .map(readParameter);
  const endpoint = api.find((one) => one.method === request.method && one.path.test(path));
  if (endpoint === undefined) {
    return refuse(
      `${shown(request.method)} ${shown(path)}`,
      `No agent needs ${shown(request.method)} ${shown(path)}.`,
    );
  }
  const odd = parameters.find(
    ({ name, value }, index) =>
      parameters.findIndex((one) => one.name === name) !== index ||
      !(name === "key"
        ? value === placeholder && endpoint.keyIn.includes("?key")
        : endpoint.query.includes(name) && /^[\w.-]{0,64}$/.test(value)),
  );
  if (odd) {
    const rule = `parameter ${shown(odd.name)}`;
    return refuse(rule, `Its ${rule} is unknown, comes twice, or has a value that is not allowed.`);
  }
  return judgeHeaders(
    request,
    endpoint,
    placeholder,
    parameters.some(({ name }) => name === "key"),
  );
}

/** Whether a header travels on to the model. Credentials that are not known have been refused, everything else is left out. */
export function isModelHeader(name: string): boolean {
  return KEY_HEADERS.has(name) || HEADERS.test(name);
}

/** Values of `anthropic-beta` that belong to what no agent gets: tools, files and servers of the provider's side. */
export function withoutClosedBetas(value: string): string {
  const betas = value.split(",").map((beta) => beta.trim());
  return betas.filter((beta) => !CLOSED_BETAS.test(beta)).join(",");
}

export function bodyRefusal(fault: BodyFault): ModelRefusal {
  switch (fault.kind) {
    case "not-json":
      return written("a body that is not JSON", "Its body is not valid JSON.");
    case "twice":
      return written(`field ${shown(fault.at)} twice`, `It has ${shown(fault.at)} twice.`);
    case "unknown-field":
      return written(
        `field ${shown(fault.at)}`,
        `Loom does not know the field ${shown(fault.at)}; ${allowWith(fault.at)}`,
      );
    case "value": {
      const what = `${shown(fault.at)} with ${shown(fault.value)}`;
      return written(
        what,
        `${shown(fault.at)} can't be ${shown(fault.value)}: tools run in the sandbox, and files and images are sent as bytes. ${allowWith(`${fault.at}=${fault.value}`, "O")}`,
      );
    }
  }
}

const KEY_HEADERS = new Set(["authorization", "x-api-key", "x-goog-api-key"]);

/** What CLIs say about themselves and about the conversation. Not what providers show to others: `http-referer`, `x-title`. */
const HEADERS =
  /^(?:accept|accept-language|content-(?:type|length)|transfer-encoding|user-agent|anthropic-(?:version|beta|dangerous-direct-browser-access)|openai-beta|originator|version|sec-fetch-mode|(?:session|thread|conversation)[-_]id|x-(?:app|stainless-[a-z-]+|claude-code-[a-z-]+|codex-[a-z-]+|client-request-id|goog-api-client|session-(?:id|affinity)))$/;

/** They would be somebody else's account, or another project of the same one. */
const CREDENTIAL =
  /cookie|authorization|api-?key|token|secret|credential|organi[sz]ation|project|^x-(?:goog-user|amz|ms)-/;

const CLOSED_BETAS =
  /^(?:mcp|files|code-execution|skills|web-|computer-use|message-batches|advanced-tool-use)/i;

function judgeHeaders(
  { rawHeaders }: ModelRequest,
  endpoint: ModelEndpoint,
  placeholder: string,
  isKeyInQuery: boolean,
): ModelJudgement {
  let isKeyThere = isKeyInQuery;
  const seen = new Set<string>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? "";
    const value = rawHeaders[index + 1]?.trim() ?? "";
    const isKey = KEY_HEADERS.has(name);
    const given = name === "authorization" ? value.replace(/^bearer +/i, "") : value;
    const isKeyHere = endpoint.keyIn.includes(name) && given === placeholder;
    if (isKey ? !isKeyHere : CREDENTIAL.test(name) && !HEADERS.test(name)) {
      return refuse(
        `a credential in ${shown(name)}`,
        `It brings a credential of its own in ${shown(name)}; use the one that Loom provides, and no other.`,
      );
    }
    if (isModelHeader(name) && seen.has(name))
      return refuse(`header ${shown(name)} twice`, `It has ${shown(name)} twice.`);
    seen.add(name);
    isKeyThere ||= isKey;
    if (name === "content-encoding" && value.toLowerCase() !== "identity")
      return refuse("a compressed body", "Its body is compressed; send it as it is.");
    if (
      name === "content-type" &&
      endpoint.body !== null &&
      !/^application\/json(?: *; *charset="?utf-8"?)?$/i.test(value)
    )
      return refuse("a body that is not JSON", "Its body has to be application/json.");
  }
  if (endpoint.body !== null && !seen.has("content-type"))
    return refuse("a body that is not JSON", "Its body has to be application/json.");
  if (!isKeyThere) return refuse("no credential", "It lacks the credential that Loom provides.");
  return { kind: "allowed", endpoint };
}

function readParameter(text: string): { readonly name: string; readonly value: string } {
  const at = text.indexOf("=");
  return at < 0 ? { name: text, value: "" } : { name: text.slice(0, at), value: text.slice(at + 1) };
}

function allowWith(what: string, o = "o"): string {
  return `${o}nly Loom's operator can allow it, with LOOM_MODEL_ALLOW=${shown(what)}.`;
}

function refuse(rule: string, reason: string): ModelJudgement {
  return { kind: "refused", ...written(rule, reason) };
}

function written(rule: string, reason: string): ModelRefusal {
  return { rule, sentence: `Loom does not send this request to the model. ${reason}` };
}

/** A name that somebody else chose, for a list or a sentence. */
function shown(text: string): string {
  const plain = text.replace(/[^\x21-\x7e]+/g, " ").trim();
  return plain.length > 80 ? `${plain.slice(0, 80)}…` : plain || "nothing";
}
