import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { visitShop } from "./visit-shop.ts";

const visitor = visitShop();
const PATHS = ["/issues", "/issues/1", "/pull/2", "/pull/2/files", "", "/branches"];

it.each([
  ["light", 1280],
  ["dark", 400],
] as const)("fits a %s screen of %i pixels, with its own colours", async (colorScheme, width) => {
  const { browser, shop } = visitor;
  const folder = await mkdtemp(join(tmpdir(), "loom-screens-"));
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } });
  const page = await context.newPage();
  const run = shop.repository.checkRuns[0]?.id;
  for (const [index, path] of [...PATHS, `/runs/${run}`].entries()) {
    await page.goto(shop.url + path);
    expect(
      await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
      path,
    ).toBeLessThanOrEqual(0);
    const file = join(folder, `${index}.png`);
    await page.screenshot({ path: file });
    expect((await stat(file)).size).toBeGreaterThan(5000);
  }
  const ground = await page.evaluate("getComputedStyle(document.body).backgroundColor");
  expect(ground).toBe(colorScheme === "light" ? "rgb(255, 255, 255)" : "rgb(17, 21, 27)");
  await context.close();
  await rm(folder, { recursive: true });
});

it("lines up the parts of a check on a phone, with or without an App's buttons", async () => {
  const { browser, shop } = visitor;
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  const box = async (selector: string) => {
    const found = await page.locator(selector).first().boundingBox();
    if (found === null) throw new Error(`${selector} is not shown`);
    return found;
  };
  const run = shop.repository.checkRuns[0];
  if (run === undefined) throw new Error("the check run is missing");
  for (const actions of [run.actions, []]) {
    run.actions = actions;
    await page.goto(`${shop.url}/runs/${run.id}`);
    expect(await page.locator(".check-buttons button").count()).toBe(actions.length + 1);
    const [list, head, button, output] = await Promise.all(
      [".checks-nav", ".check-head", ".check-buttons button", ".check-output"].map(box),
    );
    expect(button?.x).toBe(output?.x);
    expect((head?.y ?? 0) - (list?.y ?? 0) - (list?.height ?? 0)).toBe(16);
  }
  await context.close();
});

it("shows with a shadow that a table goes on behind the edge of a phone, until its end", async () => {
  const { browser, shop } = visitor;
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  const cells = "| much-to-say-in-one-word ".repeat(8);
  shop.issue.body = `${cells}|\n${"|---".repeat(8)}|\n${"| ".repeat(8)}|`;
  await page.goto(`${shop.url}/issues/${shop.issue.number}`);
  const table = page.locator(".markdown table").first();
  const edges = async () => {
    const { x, y, width, height } = (await table.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    // Inside of the last row, which is empty.
    const strip = (left: number) =>
      page.screenshot({ clip: { x: left, y: y + height - 9, width: 4, height: 4 } });
    const [left, right] = [await strip(x + 2), await strip(x + width - 6)];
    return { left: left.toString("base64"), right: right.toString("base64") };
  };
  const start = await edges();
  await page.evaluate('document.querySelector(".markdown table").scrollLeft = 9999');
  const end = await edges();
  const plain = start.left;
  expect(start.right).not.toBe(plain);
  expect(end.left).not.toBe(plain);
  expect(end.right).toBe(plain);
  await context.close();
});
