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
