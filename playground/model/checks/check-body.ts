import { Refusal } from "../refusal.ts";

const LONGEST = 65_536;

/** Comments, issues and pull requests share one limit; it counts characters, not bytes. */
export function checkBody(resource: string, body: string): void {
  if ([...body].length <= LONGEST) return;
  throw new Refusal(422, "Validation Failed", [
    {
      resource,
      field: "body",
      code: "unprocessable",
      message: `body is too long (maximum is ${LONGEST} characters)`,
    },
  ]);
}

export function checkTitle(resource: string, title: string): void {
  if (title.trim() === "") {
    throw new Refusal(422, "Validation Failed", [
      { resource, field: "title", code: "custom", message: "title can't be blank" },
    ]);
  }
  if ([...title].length <= 256) return;
  throw new Refusal(422, "Validation Failed", [
    { resource, field: "title", code: "custom", message: "title is too long (maximum is 256 characters)" },
  ]);
}
