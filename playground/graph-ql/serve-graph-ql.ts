import type { IncomingMessage, ServerResponse } from "node:http";
import { Refusal } from "../model/refusal.ts";
import type { RequestRecord } from "../model/types.ts";
import type { World } from "../model/world.ts";
import type { Answer } from "../rest/call.ts";
import { budgetOf } from "../rest/check-limits.ts";
import { readJson } from "../rest/read-json.ts";
import { callerOf, refusalAnswer, send, withinLimits } from "../rest/serve-rest.ts";
import { type Context, MUTATION, QUERY } from "./kinds.ts";
import { parseDocument, UnreadableDocument } from "./parse-document.ts";
import { checkOperation, type Problem, runFields } from "./run-operation.ts";

/** Beside the REST API, as on GitHub Enterprise Server. */
const PATH = "/api/graphql";

/** Answers a GraphQL request. False, and nothing done, when it is for somebody else. */
export async function serveGraphQl(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const { pathname } = new URL(request.url ?? "/", world.github.url);
  if (pathname !== PATH || request.method !== "POST") return false;
  const caller = callerOf(world, request.headers.authorization);
  const record: RequestRecord = {
    at: world.clock.now(),
    method: "POST",
    path: "/graphql",
    route: "POST /graphql",
    actor: caller instanceof Refusal ? "anonymous" : budgetOf(caller),
    status: 0,
    createsContent: false,
  };
  world.github.requests.push(record);
  let answer: Answer;
  try {
    const body = await readJson(request);
    if (caller instanceof Refusal) throw caller;
    if (caller.kind === "anonymous")
      throw new Refusal(401, "This endpoint requires you to be authenticated.");
    answer = await withinLimits(world, record, () => run({ world, caller }, body));
  } catch (problem) {
    if (!(problem instanceof Refusal)) throw problem;
    answer = refusalAnswer(world, problem);
  }
  send(world, request, response, answer, record);
  return true;
}

/** Whatever goes wrong in here is status 200 with `errors`. What nobody here knows makes a test fail, as unknown paths do. */
async function run(context: Context, body: unknown): Promise<Answer> {
  const { query, variables } = (body ?? {}) as { query?: unknown; variables?: Record<string, unknown> };
  if (typeof query !== "string")
    throw new Refusal(400, "A query attribute must be specified and must be a string.");
  const operation = read(query);
  if ("problems" in operation) return unknown(context, operation.problems);
  const root = operation.kind === "query" ? QUERY : MUTATION;
  const wrong = checkOperation(operation, root);
  if (wrong.length > 0) return unknown(context, wrong);
  const problems: Problem[] = [];
  const data = await runFields(operation.fields, root, null, {
    variables: variables ?? {},
    context,
    problems,
  });
  return { status: 200, body: { data, ...(problems.length > 0 && { errors: problems }) } };
}

function read(query: string): ReturnType<typeof parseDocument> | { readonly problems: Problem[] } {
  try {
    return parseDocument(query);
  } catch (problem) {
    if (!(problem instanceof UnreadableDocument)) throw problem;
    return { problems: [{ message: problem.message }] };
  }
}

function unknown({ world }: Context, problems: readonly Problem[]): Answer {
  world.unknownPaths.push(...problems.map(({ message }) => `POST /graphql: ${message}`));
  return { status: 200, body: { errors: problems } };
}
