import { notPlayed, type Outcome, outcomeOf } from "../../core/drill/attack.ts";
import type { DrillLoot, ModelAttempt } from "../../core/drill/task.ts";

const GOOD = "as-agents-ask";
const TYPE = { "content-type": "application/json" };

/** One request as agents send it, and those that nobody may send. Each carries its name, so that it is known where it arrives. */
export function modelAttempts(placeholder: string): ModelAttempt[] {
  const own = { ...TYPE, "x-api-key": placeholder };
  const post = (
    name: string,
    change: Partial<Omit<ModelAttempt, "name" | "body">> & { readonly more?: object } = {},
  ): ModelAttempt => {
    const { more, ...rest } = change;
    const body = {
      model: "drill",
      max_tokens: 1,
      messages: [{ role: "user", content: `drill:${name}` }],
      ...more,
    };
    return { name, method: "POST", path: "/v1/messages", headers: own, body: JSON.stringify(body), ...rest };
  };
  return [
    post(GOOD),
    post("a-key-of-ones-own", { headers: { ...TYPE, "x-api-key": "sk-drill-of-somebody-else" } }),
    post("two-keys", { headers: { ...own, authorization: "Bearer sk-drill-of-somebody-else" } }),
    post("no-key", { headers: TYPE }),
    post("files-of-the-account", { path: "/v1/files" }),
    post("keys-of-the-organisation", { path: "/v1/organizations/api_keys" }),
    post("a-way-around", { path: "/v1/messages/../files" }),
    post("another-method", { method: "PUT" }),
    post("a-search-by-the-provider", {
      more: { tools: [{ type: "web_search_20250305", name: "web_search" }] },
    }),
    post("a-server-of-tools", {
      more: { mcp_servers: [{ type: "url", url: "https://drill.example", name: "x" }] },
    }),
    post("a-document-to-fetch", {
      more: {
        messages: [
          { role: "user", content: "drill:a-document-to-fetch" },
          {
            role: "user",
            content: [{ type: "document", source: { type: "url", url: "https://drill.example" } }],
          },
        ],
      },
    }),
  ];
}

type Arrived = readonly { readonly name: string; readonly credentials: readonly string[] }[];

export function judgeModel(
  answers: DrillLoot["model"],
  arrived: Arrived,
  seen: { readonly key: string; readonly text: string },
): Outcome {
  const good = arrived.find(({ name }) => name === GOOD);
  if (answers[GOOD]?.status !== 200 || !good?.credentials.some((one) => one.includes(seen.key)))
    return notPlayed("the model was not reached");
  const through = arrived.filter(({ name }) => name !== GOOD).map(({ name }) => name.replaceAll("-", " "));
  return outcomeOf([...through, ...(seen.text.includes(seen.key) ? ["the key"] : [])]);
}

/** Whether the gateway said anything to what it was asked. */
export function asks(answers: DrillLoot["through"], asked: readonly string[]): boolean {
  return asked.every((goal) => (answers[goal] ?? 0) > 0);
}
