import { createRequire } from "node:module";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";

const SCHEMA = "@octokit/webhooks-schemas/schema.json";
const BASE = "https://webhooks.invalid/";

/**
 * Checks payloads against the published schemas and throws with all that is wrong. The schema of one event and action is
 * used, not the union of all: its messages name the field. Each definition is a schema of its own, so that only what is
 * needed is compiled: the whole takes seconds.
 */
export function createWebhookValidator(): (event: string, payload: unknown) => void {
  const published = createRequire(import.meta.url)(SCHEMA) as { definitions: Record<string, object> };
  const definitions = JSON.parse(
    JSON.stringify(published.definitions).replaceAll('"#/definitions/', `"${BASE}`),
  ) as Record<string, object>;
  const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, inlineRefs: false });
  addFormats.default(ajv);
  for (const [name, definition] of Object.entries(definitions)) {
    ajv.addSchema({ ...definition, $id: `${BASE}${name}` });
  }
  return (event, payload) => {
    const { action } = payload as { action?: string };
    const name = action === undefined ? `${event}$event` : `${event}$${action}`;
    const validate = ajv.getSchema(`${BASE}${name}`);
    if (!validate) throw new Error(`There is no webhook ${event} ${action ?? ""}`.trimEnd());
    if (validate(payload)) return;
    const problems = (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `  ${instancePath || "/"} ${message} ${JSON.stringify(params)}`,
    );
    throw new Error(
      `The webhook ${event} ${action ?? ""} is not as GitHub sends it:\n${problems.join("\n")}`,
    );
  };
}
