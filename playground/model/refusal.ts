/** One reason in GitHub's `errors` list. */
export type FieldProblem = {
  readonly resource: string;
  readonly field: string;
  readonly code: "missing" | "missing_field" | "invalid" | "already_exists" | "unprocessable" | "custom";
  readonly message?: string;
};

/** What GitHub answers to a request it understands and does not follow. REST sends it as it is, pages show the message. */
export class Refusal extends Error {
  readonly status: number;
  readonly errors: readonly FieldProblem[];
  /** Some endpoints give plain sentences in place of `errors`. */
  readonly sentences: readonly string[];

  constructor(
    status: number,
    message: string,
    errors: readonly FieldProblem[] = [],
    sentences: readonly string[] = [],
  ) {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.errors = errors;
    this.sentences = sentences;
  }
}

export function notFound(): Refusal {
  return new Refusal(404, "Not Found");
}

export function invalid(resource: string, field: string, message?: string): Refusal {
  return new Refusal(422, "Validation Failed", [
    message === undefined
      ? { resource, field, code: "invalid" }
      : { resource, field, code: "custom", message },
  ]);
}

export function missingField(resource: string, field: string): Refusal {
  return new Refusal(422, "Validation Failed", [{ resource, field, code: "missing_field" }]);
}
