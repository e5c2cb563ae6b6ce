import { expect, it } from "vitest";
import { markedText, textChanges } from "../../../../src/adapters/github/pulls/pull-text.ts";

const written = markedText({ title: "Build", body: "First." });

it("writes nothing when title and text are as they were", () => {
  expect(textChanges(written, { title: "Build", body: "First." })).toEqual({});
  expect(
    textChanges({ ...written, body: written.body.replaceAll("\n", "\r\n") }, { body: "First." }),
  ).toEqual({});
});

it("writes what differs, and then knows it for its own", () => {
  const changes = textChanges(written, { title: "Build it", body: "Second." });
  expect(changes).toEqual(markedText({ title: "Build it", body: "Second." }));
  expect(textChanges({ ...written, ...changes }, { title: "Build", body: "First." })).toEqual(written);
});

it("goes on with the text when a person changed the title, and leaves the title to them for good", () => {
  let now = { ...written, title: "Mine" };
  for (const body of ["Second.", "Third."]) {
    const changes = textChanges(now, { title: "Build again", body });
    expect(changes.title).toBeUndefined();
    expect(changes.body).toContain(body);
    now = { ...now, ...changes };
  }
});

it("goes on with the title when a person changed the text, and keeps their words", () => {
  let now = { ...written, body: written.body.replace("First.", "My words.") };
  for (const title of ["Two", "Three"]) {
    const changes = textChanges(now, { title, body: "Another." });
    expect(changes.title).toBe(title);
    expect(changes.body).toContain("My words.");
    now = { ...now, ...changes };
  }
});

it("leaves both alone when a person took the hidden line away", () => {
  expect(textChanges({ title: "Build", body: "First." }, { title: "Other", body: "Other." })).toEqual({});
});

it("does not take a hidden line inside the text for its own", () => {
  const forged = markedText({ title: "Evil", body: "Evil." }).body;
  const now = markedText({ title: "Build", body: `Quoted:\n${forged}\nEnd.` });
  expect(textChanges(now, { title: "Next" }).title).toBe("Next");
});
