import { describe, expect, it } from "vitest";
import type { Shape } from "../../../src/core/model-api/body-shape.ts";
import {
  anthropicApi,
  chatApi,
  geminiApi,
  type ModelApi,
  responsesApi,
} from "../../../src/core/model-api/model-api.ts";

const APIS: Readonly<Record<string, ModelApi>> = {
  anthropic: anthropicApi(""),
  responses: responsesApi(""),
  chat: chatApi(""),
  gemini: geminiApi(""),
};

/** Members that hold bytes, or an address in their place, in the words of all providers. */
const HOLDS_BYTES =
  /^(?:(?:file|inline|image|audio|video)?_?data|input_audio|source|file|(?:image|file|audio|video)_?ur[il]|ur[il])$/i;

type Field = { readonly at: string; readonly shape: Shape };

/** Every member that holds bytes, each shape once. */
function fieldsWithBytes(shape: Shape, at = "", seen = new Set<Shape>()): Field[] {
  if (shape === null || seen.has(shape)) return [];
  seen.add(shape);
  const members = Object.entries(shape.keys ?? {});
  return [
    ...members
      .filter(([name]) => HOLDS_BYTES.test(name))
      .map(([name, one]) => ({ at: `${at}.${name}`, shape: one })),
    ...members.flatMap(([name, one]) => fieldsWithBytes(one, `${at}.${name}`, seen)),
    ...fieldsWithBytes(shape.items ?? null, `${at}[]`, seen),
  ];
}

describe.each(Object.entries(APIS))("bytes in the words of %s", (_name, api) => {
  const fields = api.flatMap(({ body }) => fieldsWithBytes(body));

  it("are examined wherever they stand, and no address passes for them", () => {
    expect(fields.length).toBeGreaterThan(0);
    for (const { at, shape } of fields) {
      expect(shape, at).not.toBeNull();
      for (const address of [
        "https://a.example/?leak",
        "HTTP:a.example",
        "//a.example/x",
        "gs://a/b",
        "file:///x",
      ])
        expect(shape?.text?.(address), `${at} with ${address}`).toBe(false);
    }
  });
});
