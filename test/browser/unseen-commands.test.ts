import fc from "fast-check";
import { marked } from "marked";
import { expect, it } from "vitest";
import { parseCommands } from "../../src/core/command/parse-commands.ts";
import { openBrowser } from "./open-browser.ts";

const LINES = [
  "COMMAND¦COMMAND¦COMMAND¦COMMAND¦ COMMAND¦¦¦¦¦text¦# head¦---¦> quote¦- item¦2. item",
  "```¦~~~¦   ```¦    ```¦```\u00a0¦\u00a0¦\f¦| a |¦|---|¦[x]: <a\\>b>¦[x]: a¦'¦\"",
  "<!--¦-->¦--!>¦<!-->¦<pre>¦</pre>¦<details>¦</details>¦<summary>x</summary>¦<div>¦</detailsx>",
  "<blockquote>¦</blockquote>¦<?¦?>¦<![CDATA[¦]]>¦\">¦'>¦)¦](u)¦]¦~~",
].flatMap((texts) => texts.split("¦"));
const PIECES = [
  "a ¦`¦``¦\\¦<!--¦-->¦<!-- a -->¦<b>¦</b>¦<del>¦</del>¦<details>¦</details>¦<pre>¦</pre>",
  '<a title="¦<a title="x">¦<a \'¦=\'¦"¦\'¦>¦<¦<!a¦<?¦?>¦<template>¦<rp>¦<ruby>¦<table>¦<td>¦<p>¦<sub>',
  '[¦![¦]¦](¦)¦](u "¦[x](u)¦~¦~~¦- ¦> ¦    ',
].flatMap((texts) => texts.split("¦"));

const line = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...LINES) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 4 })
      .map((all) => all.join("")),
  },
);

/** Runs in the page. What shows as code, as a quote, small or struck out is not the plain words of an author. */
const SHOW = `(all) => all.map((html) => {
  document.body.innerHTML = html;
  for (const one of document.body.querySelectorAll("del, s, code, pre, blockquote, sub")) one.remove();
  return document.body.innerText;
})`;

it("takes no command that a browser does not show as plain words", async () => {
  const comments = fc
    .sample(fc.array(line, { minLength: 2, maxLength: 8 }), {
      numRuns: 10_000,
      seed: 1,
    })
    .map((lines) => lines.map((text, n) => text.replace("COMMAND", `/loom skip s${n}.`)).join("\n"));
  const taken = comments.flatMap((body) => {
    const stages = parseCommands(body).commands.flatMap((one) => (one.verb === "skip" ? [one.stage] : []));
    return stages.length === 0 ? [] : [{ body, stages, html: marked.parse(body, { async: false }) }];
  });
  expect(taken.length).toBeGreaterThan(1000);
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    const pages = JSON.stringify(taken.map(({ html }) => html));
    const shown = await page.evaluate<string[]>(`(${SHOW})(${pages})`);
    const unseen = taken.filter(({ stages }, n) =>
      stages.some((stage) => !shown[n]?.includes(`/loom skip ${stage}.`)),
    );
    expect(unseen.map(({ body }) => body)).toEqual([]);
  } finally {
    await browser.close();
  }
});
