import type { Answer } from "./ask.ts";
import { type Json, list, object, parseJson, text } from "./json.ts";

/** What the model said, put together again as a CLI would. */
export function said(answer: Answer): string {
  const parts = {
    anthropic: (data: Json) => [
      ...list(data.content).map((block) => text(block.text)),
      text(object(data.delta).text),
    ],
    responses: (data: Json) => [
      ...(data.type === "response.output_text.delta" ? [text(data.delta)] : []),
      ...list(data.output).flatMap((item) => list(item.content).map((part) => text(part.text))),
    ],
    chat: (data: Json) =>
      list(data.choices).flatMap((choice) => [
        text(object(choice.delta).content),
        text(object(choice.message).content),
      ]),
    gemini: (data: Json) => partsOf(data).map((part) => text(part.text)),
  }[answer.protocol];
  return dataOf(answer).flatMap(parts).join("");
}

export type Call = { readonly name: string; readonly input: unknown };

export function toolCalls(answer: Answer): readonly Call[] {
  const data = dataOf(answer);
  switch (answer.protocol) {
    case "anthropic":
      return anthropicCalls(data);
    case "responses": {
      const items = data.flatMap((each) => [
        ...list(each.output),
        ...(each.type === "response.output_item.done" ? [object(each.item)] : []),
      ]);
      return items
        .filter(({ type }) => type !== "message")
        .map((item) => ({ name: text(item.name), input: item.input ?? parseJson(text(item.arguments)) }));
    }
    case "chat":
      return chatCalls(data);
    case "gemini":
      return data.flatMap(partsOf).flatMap(({ functionCall }) => {
        const call = object(functionCall);
        return functionCall === undefined ? [] : [{ name: text(call.name), input: call.args }];
      });
  }
}

/** The last usage that the answer told, in the words of a script. */
export function usageTold(answer: Answer): { input: number; output: number; cached: number } {
  const data = dataOf(answer);
  const last = (pick: (each: Json) => unknown) => object(data.map(pick).findLast((usage) => usage != null));
  switch (answer.protocol) {
    case "anthropic": {
      const usage = last((each) => each.usage);
      const cached = Number(usage.cache_read_input_tokens);
      return { input: Number(usage.input_tokens) + cached, output: Number(usage.output_tokens), cached };
    }
    case "responses": {
      const usage = last((each) => object(each.response).usage);
      const cached = Number(object(usage.input_tokens_details).cached_tokens);
      return { input: Number(usage.input_tokens), output: Number(usage.output_tokens), cached };
    }
    case "chat": {
      const usage = last((each) => each.usage);
      const cached = Number(object(usage.prompt_tokens_details).cached_tokens);
      return { input: Number(usage.prompt_tokens), output: Number(usage.completion_tokens), cached };
    }
    case "gemini": {
      const usage = last((each) => each.usageMetadata);
      const cached = Number(usage.cachedContentTokenCount);
      return { input: Number(usage.promptTokenCount), output: Number(usage.candidatesTokenCount), cached };
    }
  }
}

function anthropicCalls(data: readonly Json[]): readonly Call[] {
  const blocks = data.flatMap((each) => [...list(each.content), object(each.content_block)]);
  const deltas = data.filter((each) => object(each.delta).type === "input_json_delta");
  const starts = data.filter((each) => each.type === "content_block_start");
  return blocks
    .filter((block) => block.type === "tool_use")
    .map((block) => {
      const index = starts.find((start) => object(start.content_block).id === block.id)?.index;
      const json = deltas
        .filter((each) => each.index === index)
        .map((each) => text(object(each.delta).partial_json));
      return { name: text(block.name), input: index === undefined ? block.input : parseJson(json.join("")) };
    });
}

function chatCalls(data: readonly Json[]): readonly Call[] {
  const parts = data
    .flatMap((each) => list(each.choices))
    .flatMap((choice) => [
      ...list(object(choice.delta).tool_calls),
      ...list(object(choice.message).tool_calls),
    ]);
  return parts
    .filter((part) => part.id !== undefined)
    .map((first) => {
      const own = parts.filter((part) => part.index === first.index).map((part) => object(part.function));
      return {
        name: text(object(first.function).name),
        input: parseJson(own.map((part) => text(part.arguments)).join("")),
      };
    });
}

function dataOf(answer: Answer): readonly Json[] {
  const all = answer.type === "text/event-stream" ? answer.frames : [answer.text];
  return all.map((data) => object(parseJson(data)));
}

function partsOf(data: Json): readonly Json[] {
  return list(data.candidates).flatMap((candidate) => list(object(candidate.content).parts));
}
