import { describe, expect, it } from "vitest";
import { assessAnswer } from "../../../../src/core/planning/answers/assess-answer.ts";
import { ANSWER } from "../planning-values.ts";

const complex = (text: string): string => text.replace("version: 1", "version: 1\n  complexity: complex");

describe("what a first look says of the task", () => {
  it("is what it asks, as far as that is allowed", () => {
    const asked =
      "```yaml\nloom_questions:\n  complexity: simple\n  why: x\n  questions: [One?, Two?, Three?]\n```";
    expect(assessAnswer(asked, 2)).toMatchObject({
      complexity: "simple",
      why: "x",
      questions: [{ text: "One?" }, { text: "Two?" }],
    });
  });

  it("is that it is complex, where the plan says so, whatever else is wrong with the plan", () => {
    const why = "The limits come first, because both others need them.";
    const found = { complexity: "complex", why, questions: [] };
    expect(assessAnswer(complex(ANSWER), 4)).toEqual(found);
    expect(assessAnswer(complex(ANSWER).replace("npm test", "{ }"), 4)).toEqual(found);
    expect(assessAnswer(ANSWER.replace("version: 1", "version: 1\n  task_complexity: Complex"), 4)).toEqual(
      found,
    );
  });

  it("is nothing where it is a plan like others, or nothing at all", () => {
    for (const text of [
      ANSWER,
      complex(ANSWER).replace("complex", "medium"),
      "No.",
      "```yaml\nloom_questions: [\n```",
    ])
      expect(assessAnswer(text, 4)).toBeNull();
  });
});
