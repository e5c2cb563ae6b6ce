import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { HANGS_AFTER_MS } from "../support/living-processes.ts";
import { openBrowser } from "./open-browser.ts";
import { openShop, type Shop } from "./shop-world.ts";

/** What a test with a browser has in its hands. */
export type Visitor = {
  browser: Browser;
  shop: Shop;
  context: BrowserContext;
  page: Page;
  /** Errors on the console, uncaught ones, and dialogs: pages have none of these. */
  complaints: string[];
  viewAs(login: string): Promise<void>;
};

/** One browser per file, a fresh shop and a fresh profile per test. */
export function visitShop(): Visitor {
  const visitor = {} as Visitor;
  beforeAll(async () => {
    visitor.browser = await openBrowser();
  });
  afterAll(() => visitor.browser.close());
  beforeEach(async () => {
    visitor.shop = await openShop();
    visitor.context = await visitor.browser.newContext({ viewport: { width: 1280, height: 900 } });
    visitor.context.setDefaultTimeout(HANGS_AFTER_MS);
    const page = await visitor.context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("dialog", (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    Object.assign(visitor, { page, complaints, viewAs: (login: string) => viewAs(page, login) });
  });
  afterEach(async () => {
    await visitor.context.close();
    await visitor.shop.close();
  });
  return visitor;
}

async function viewAs(page: Page, login: string): Promise<void> {
  await page.locator("#view-as > summary").click();
  await page.locator(`#view-as button[value="${login}"]`).click();
  await page.locator(`#view-as > summary strong:text-is("${login}")`).waitFor();
}
