import type { Json } from "./json.ts";
import type { Item, Reading } from "./protocol.ts";

export type ProtocolId = "anthropic" | "responses" | "chat" | "gemini";

/** All that a request to the model said, the same for all protocols. */
export type SeenRequest = {
  readonly protocol: ProtocolId;
  /**
   * `turn`: the agent's work. `aside`: a title, a summary, a probe: it offers no tools or wants one token at most.
   * `count`: how many tokens? `list`: which models?
   */
  readonly purpose: "turn" | "aside" | "count" | "list";
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The key that came with it, by whatever name. */
  readonly key: string | null;
  readonly model: string | null;
  /** null: the request names none. */
  readonly temperature: number | null;
  readonly body: Json;
  readonly system: string;
  readonly userTexts: readonly string[];
  readonly lastUserText: string;
  /** Of the whole conversation. */
  readonly toolResults: readonly ToolResult[];
  /** What was said and what tools gave since the model's last turn. */
  readonly news: string;
  readonly tools: readonly OfferedTool[];
  /** How many turns the model has had in this conversation. */
  readonly turns: number;
};

export type ToolResult = {
  readonly id: string;
  readonly name: string | null;
  readonly text: string;
  readonly failed: boolean;
};

export type OfferedTool = {
  readonly name: string;
  /** Named by some CLIs for tools of other servers. */
  readonly namespace: string | null;
  /** `freeform`: its input is a text of its own language, not JSON. */
  readonly kind: "function" | "freeform";
  /** Names of its parameters. */
  readonly parameters: readonly string[];
};

type Told = Pick<
  SeenRequest,
  | "model"
  | "temperature"
  | "system"
  | "userTexts"
  | "lastUserText"
  | "toolResults"
  | "news"
  | "tools"
  | "turns"
>;

/** What a reading says, gathered for those who ask about it. */
export function tell(reading: Reading): Told {
  const { items } = reading;
  const userTexts = items.filter((item) => item.by === "user").map((item) => item.text);
  return {
    model: reading.model,
    temperature: reading.temperature,
    system: join(items.filter((item) => item.by === "system")),
    userTexts,
    lastUserText: userTexts.at(-1) ?? "",
    toolResults: items.flatMap((item) => (item.by === "tool" ? [withoutBy(item)] : [])),
    news: join(items.slice(items.findLastIndex((item) => item.by === "assistant") + 1)),
    tools: reading.tools,
    turns: countTurns(items),
  };
}

/** A turn may be many items in a row: thoughts, a text, several calls. What tools or people say ends it. */
export function countTurns(items: readonly Item[]): number {
  let turns = 0;
  let inTurn = false;
  for (const item of items) {
    if (item.by === "system") continue;
    if (item.by === "assistant" && !inTurn) turns += 1;
    inTurn = item.by === "assistant";
  }
  return turns;
}

export function parametersOf(schema: Json): readonly string[] {
  const properties = schema.properties;
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}

function join(items: readonly Item[]): string {
  return items
    .map((item) => item.text)
    .filter((text) => text !== "")
    .join("\n");
}

function withoutBy({ id, name, text, failed }: Extract<Item, { by: "tool" }>): ToolResult {
  return { id, name, text, failed };
}
