import * as z from "zod";
import type { CheckSpec } from "../../ports/github/checks.ts";
import { findOrMake } from "./api/find-or-make.ts";
import { readAnswer } from "./api/read-answer.ts";
import { fitBody } from "./fit-body.ts";
import type { Repository } from "./repository.ts";

const LIST = "GET /repos/{owner}/{repo}/commits/{ref}/check-runs";
const ONE = "GET /repos/{owner}/{repo}/check-runs/{check_run_id}";
const MAKE = "POST /repos/{owner}/{repo}/check-runs";
const EDIT = "PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}";

const SHAPE = z.object({
  id: z.number(),
  name: z.string(),
  head_sha: z.string(),
  external_id: z.string().nullish(),
  status: z.string(),
  app: z.object({ id: z.number() }).nullish(),
});
type Check = z.infer<typeof SHAPE>;

export async function putCheck(
  repository: Repository,
  check: CheckSpec,
  known: number | null,
): Promise<number> {
  const fits = (one: Check): boolean =>
    one.name === check.name &&
    one.head_sha === check.head &&
    one.external_id === check.externalId &&
    (one.app == null || one.app.id === repository.app.id) &&
    // GitHub takes a completed check back to work, but people are shown the old result.
    (one.status !== "completed" || check.status === "completed");

  const mine = known === null ? null : await knownCheck(repository, known);
  let isNew = false;
  const { id } =
    mine && fits(mine)
      ? mine
      : await findOrMake(
          () => findCheck(repository, check, fits),
          async () => {
            isNew = true;
            const body = { name: check.name, head_sha: check.head, ...bodyOf(check) };
            return readAnswer(SHAPE, await repository.ask(MAKE, body), MAKE);
          },
          repository.pause,
        );
  if (!isNew) await repository.ask(EDIT, { check_run_id: id, ...bodyOf(check) }, { repeat: true });
  return id;
}

async function knownCheck(repository: Repository, id: number): Promise<Check | null> {
  const reply = await repository.ask(ONE, { check_run_id: id }, { answers: [404] });
  return reply.status === 404 ? null : readAnswer(SHAPE, reply, ONE);
}

async function findCheck(
  repository: Repository,
  { name, head }: CheckSpec,
  fits: (check: Check) => boolean,
): Promise<Check | null> {
  const all = await repository.list(
    LIST,
    { ref: head, check_name: name, app_id: repository.app.id, filter: "all" },
    SHAPE,
    "check_runs",
  );
  return all.filter(fits).sort((one, other) => other.id - one.id)[0] ?? null;
}

function bodyOf(check: CheckSpec): Record<string, unknown> {
  return {
    external_id: check.externalId,
    status: check.status,
    ...(check.status === "completed" ? { conclusion: check.conclusion ?? "neutral" } : {}),
    output: {
      title: check.title,
      summary: fitBody(check.summary, ""),
      ...(check.text === null ? {} : { text: fitBody(check.text, "") }),
    },
    actions: check.actions.slice(0, 3),
  };
}
