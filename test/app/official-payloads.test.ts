import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { WEBHOOKS } from "../../src/app/webhooks/webhooks.ts";
import { deliverySchema } from "../../src/core/command/delivery.ts";

/**
 * The smallest payload that GitHub's published schema allows, for every event and action: what Loom reads has to be in
 * there under the same name, so that a misspelt field can't hide behind payloads that we wrote ourselves.
 */
type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly const?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
};

const file = resolve(import.meta.dirname, "../../node_modules/@octokit/webhooks-schemas/schema.json");
const definitions: Record<string, Schema> = JSON.parse(readFileSync(file, "utf8")).definitions;

function smallest(schema: Schema, name = ""): unknown {
  if (schema.$ref) return smallest(definitions[schema.$ref.replace("#/definitions/", "")] ?? {}, name);
  if (schema.allOf) {
    const parts = schema.allOf.map((part) => smallest(part, name));
    return Object.assign({}, ...parts);
  }
  const choice = schema.oneOf?.[0] ?? schema.anyOf?.[0];
  if (choice) return smallest(choice, name);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const type = typeof schema.type === "string" ? schema.type : schema.type?.[0];
  switch (type) {
    case "object":
      return Object.fromEntries(
        (schema.required ?? []).map((key) => [key, smallest(schema.properties?.[key] ?? {}, key)]),
      );
    case "array":
      return schema.items ? [smallest(schema.items, name)] : [];
    case "integer":
    case "number":
      return 17;
    case "boolean":
      return false;
    case "string":
      if (schema.format === "date-time") return "2031-05-06T07:08:09Z";
      return name === "ref" ? "refs/heads/main" : `some ${name}`;
    default:
      return null;
  }
}

const cases = WEBHOOKS.flatMap((webhook) =>
  (webhook.actions ?? ["event"]).map((action) => ({ webhook, action })),
);

describe("a payload as GitHub publishes it", () => {
  it.each(cases.map((one) => [`${one.webhook.event}.${one.action}`, one] as const))(
    "is understood: %s",
    (_, { webhook, action }) => {
      const schema = definitions[`${webhook.event}$${action}`];
      expect(schema).toBeDefined();
      const official = smallest(schema ?? {}) as Record<string, object | undefined>;
      // Optional in the schemas, because only Apps get it; and a person speaks, whoever is first in the list of kinds.
      const payload: Record<string, unknown> = {
        ...official,
        installation: { ...official.installation, id: 99 },
        sender: { ...official.sender, type: "User" },
      };
      for (const name of ["comment", "issue"] as const)
        if (name in official)
          payload[name] = {
            ...official[name],
            body: "/loom run",
            performed_via_github_app: null,
          };
      const reading = webhook.read(payload, { appId: 1 });
      expect(reading).toMatchObject({ kind: "delivery" });
      if (reading.kind === "delivery")
        expect(deliverySchema.parse(reading.delivery)).toEqual(reading.delivery);
    },
  );
});
