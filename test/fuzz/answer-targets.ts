import { parsePayload } from "../../src/app/parse-payload.ts";
import { readWebhookHead } from "../../src/app/read-webhook-head.ts";
import { cutMarkdown } from "../../src/core/markdown/cut-markdown.ts";
import { examineJson } from "../../src/core/model-api/examine-json.ts";
import { judgeModelRequest, withoutClosedBetas } from "../../src/core/model-api/judge-model-request.ts";
import { anthropicApi, chatApi, geminiApi, responsesApi } from "../../src/core/model-api/model-api.ts";
import { readPlannerAnswer } from "../../src/core/planning/answers/read-planner-answer.ts";
import { readDesign } from "../../src/core/planning/read-design.ts";
import { readPlanGoal, readPlanProse } from "../../src/core/planning/read-plan-prose.ts";
import { fromTokens, jsonLines } from "./from-tokens.ts";
import type { Target } from "./target.ts";
import { YAML } from "./yaml-tokens.ts";

const APIS = [anthropicApi("/v1"), responsesApi("/v1"), chatApi("/v1"), geminiApi("/v1beta")];
const PATHS = ["/v1/messages", "/v1/responses", "/v1/chat/completions", "/v1beta/models/x:generateContent"];
const BODIES = APIS.flatMap((api) => api.map(({ body }) => body));
const MARKDOWN = [
  "\n",
  "```",
  "~~~",
  "> ",
  "- ",
  "# ",
  "|",
  "<!--",
  "-->",
  "<details>",
  "</details>",
  "é",
  "😀",
];
const FRAME = {
  depth: "standard",
  complexity: "complex",
  title: "A title",
  created: "2026-01-01T00:00:00.000Z" as Parameters<typeof readDesign>[1]["created"],
  template: "---\ntitle: {{title}}\n---\n\n# {{heading}}\n\n{{problem}}\n\n{{other}}\n",
} as const;

/** Words of models and of GitHub, and requests of agents to their model. */
export const ANSWER_TARGETS: readonly Target[] = [
  {
    name: "model-request",
    read: (text) => {
      const rawHeaders = text.split("\n").flatMap((line) => line.split(/:(.*)/s).slice(0, 2));
      return APIS.flatMap((api, at) => [
        judgeModelRequest({ method: "POST", path: PATHS[at] ?? "", rawHeaders }, api, "ph"),
        judgeModelRequest({ method: "POST", path: `${PATHS[at]}?${text}`, rawHeaders: [] }, api, "ph"),
        withoutClosedBetas(text),
      ]).map((judged) => (typeof judged === "object" ? judged.kind : judged));
    },
    texts: fromTokens([
      ...[
        "x-api-key:ph\n",
        "authorization:Bearer ph\n",
        "anthropic-beta:a,b\n",
        "cookie:a\n",
        "x-goog-api-key:ph\n",
      ],
      ...["?", "&", "=", "alt=sse", "key=ph", "beta=true", "%61", ":", "\n", ",", " "],
    ]),
    pieces: [
      "a:b\n",
      "x-api-key:ph\n",
      "&alt=sse",
      "&a",
      "%61",
      "a,",
      "?",
      "anthropic-beta:a\n",
      "beta=true&",
    ],
    // Of all headers together.
    most: 64 * 1024,
  },
  {
    name: "model-body",
    read: (text) =>
      BODIES.map((shape) => {
        const examiner = examineJson(shape);
        const half = Math.floor(text.length / 2);
        return examiner.take(text.slice(0, half)) ?? examiner.take(text.slice(half)) ?? examiner.end();
      }),
    texts: jsonLines(
      ["message", "text", "image", "function", "user"],
      [
        "model",
        "messages",
        "tools",
        "content",
        "role",
        "type",
        "input",
        "contents",
        "parts",
        "stream",
        "metadata",
      ],
    ),
    pieces: ["[", "{", '{"a":', '"', "\\", "1", " ", '"a",', '{"messages":[', "\\u0041", "[1,"],
  },
  {
    name: "webhook",
    read: (text) => [
      readWebhookHead(
        {
          "content-type": text,
          "content-encoding": text.slice(0, 9),
          "x-github-event": text,
          "x-github-delivery": text,
        },
        1_000,
      ).kind,
      readWebhookHead({ "content-type": "application/json", "x-github-event": text }, 1_000).kind,
      parsePayload(Buffer.from(text)),
    ],
    texts: fromTokens([
      ...[
        "application/json",
        ";",
        " ",
        "push",
        "issue_comment",
        "_",
        "sha256=",
        "0123456789abcdef",
        "identity",
      ],
      ...["{", "}", '"action"', ":", '"created"', "null", "[", "]", ",", "1", '{"action":"x"}'],
    ]),
    pieces: [" ", "a", "application/json ", "[", '{"a":', "_", "0"],
  },
  {
    name: "planner-answer",
    read: (text) => [readPlannerAnswer(text), readPlanProse(text), readPlanGoal(text)],
    texts: fromTokens([
      ...YAML,
      ...MARKDOWN,
      ...["```yaml\n", "```\n", "loom:\n", "  stages:\n", "    - id: a\n", "loom_questions:\n", "## Why\n"],
    ]),
    pieces: [
      "```yaml\n",
      "```\nloom:\n",
      "# a\n",
      "loom:\n",
      "> ",
      "<!--",
      "    ",
      "- ",
      "~~~\n",
      "a\n",
      '"',
    ],
  },
  {
    name: "design",
    read: (text) => readDesign(text, FRAME),
    texts: fromTokens([
      ...MARKDOWN,
      "## Problem Statement\n",
      "## Architecture\n",
      "---\n",
      "### Goals\n",
      "{{other}}",
    ]),
    pieces: ["## a\n", "# a\n", "---\n", "```\n", "> ", "- ", "<!--", "|a|\n", "*", "[", "{{other}}", "\n"],
  },
  {
    name: "cut-markdown",
    read: (text) => cutMarkdown(text, 4_000),
    texts: fromTokens([...MARKDOWN, "a".repeat(900), "```js\n", "````\n", "<pre>", "| a |\n"]),
    pieces: ["```\n", "~~~\n", "> ", "a", "\n", "<details>", "😀", "é", "<!--", "| a |\n", "````"],
  },
];
