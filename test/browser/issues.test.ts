import { describe, expect, it } from "vitest";
import { addComment } from "../../playground/model/issues/add-comment.ts";
import { openIssue } from "../../playground/model/issues/open-issue.ts";
import { visitShop } from "./visit-shop.ts";

const visitor = visitShop();

describe("a person on an issue", () => {
  it("opens one from the form and lands on it", async () => {
    const { shop, page, complaints } = visitor;
    await page.goto(`${shop.url}/issues`);
    await page.getByRole("link", { name: "New issue" }).click();
    await page.getByLabel("Title").fill("Taxes are missing");
    await page.getByRole("textbox", { name: "Description" }).fill("Add **19 %**.");
    await page.getByRole("checkbox", { name: "enhancement" }).check();
    await page.getByRole("button", { name: "Submit new issue" }).click();
    await page.getByRole("heading", { name: "Taxes are missing #3" }).waitFor();
    expect(shop.repository.issues.get(3)).toMatchObject({
      author: "ada",
      body: "Add **19 %**.",
      labels: ["enhancement"],
    });
    expect(complaints).toEqual([]);
  });

  it("comments, reacts and labels while the text in the box stays", async () => {
    const { shop, page, complaints } = visitor;
    await page.goto(`${shop.url}/issues/1`);
    await page.getByLabel("Comment", { exact: true }).fill("First line\n/loom status");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await page.locator(".card").filter({ hasText: "/loom status" }).waitFor();
    expect(shop.issue.comments.at(-1)?.body).toBe("First line\n/loom status");
    expect(await page.getByLabel("Comment", { exact: true }).inputValue()).toBe("");

    await page.getByLabel("Comment", { exact: true }).fill("half a thou");
    await page.locator("#label-menu > summary").click();
    await page.locator("#label-menu").getByRole("button", { name: "loom:approved" }).click();
    await page.locator(".label-list", { hasText: "loom:approved" }).waitFor();
    expect(shop.issue.labels).toEqual(["bug", "loom:approved"]);
    await page.locator("#label-menu").getByRole("button", { name: "bug" }).click();
    await page.locator(".label-list:not(:has-text('bug'))").waitFor();
    expect(shop.issue.labels).toEqual(["loom:approved"]);

    await page.locator("#react-body > summary").click();
    await page.locator("#react-body").getByRole("button", { name: "rocket" }).click();
    await page.getByRole("button", { name: "rocket: ada" }).waitFor();
    expect(shop.issue.reactions).toMatchObject([{ user: "ada", content: "rocket" }]);
    expect(await page.getByLabel("Comment", { exact: true }).inputValue()).toBe("half a thou");
    expect(complaints).toEqual([]);
  });

  it("sees what others do without losing typed text, focus or an open menu", async () => {
    const { shop, page, complaints } = visitor;
    await page.goto(`${shop.url}/issues/1`);
    const box = page.getByLabel("Comment", { exact: true });
    await box.pressSequentially("I was just");
    const { world, repository, issue } = shop;
    addComment(world, repository, issue, { by: "wes", body: "Here is **news**." });
    await page.locator(".card strong", { hasText: "news" }).waitFor();
    await box.pressSequentially(" saying");
    expect(await box.inputValue()).toBe("I was just saying");
    await page.locator("#label-menu > summary").click();
    openIssue(world, repository, { by: "wes", title: "Another" });
    await page.locator(".repository-bar a", { hasText: "Issues" }).locator(".counter:text-is('2')").waitFor();
    expect(await page.locator("#label-menu").getAttribute("open")).not.toBeNull();
    expect(await box.inputValue()).toBe("I was just saying");
    expect(complaints).toEqual([]);
  });

  it("closes with a comment and reopens", async () => {
    const { shop, page } = visitor;
    await page.goto(`${shop.url}/issues/1`);
    await page.getByLabel("Comment", { exact: true }).fill("Done elsewhere.");
    await page.getByRole("button", { name: "Close issue" }).click();
    await page.locator(".state", { hasText: "Closed" }).waitFor();
    expect(shop.issue).toMatchObject({ state: "closed", stateReason: "completed", closedBy: "ada" });
    expect(shop.issue.comments.at(-1)?.body).toBe("Done elsewhere.");
    await page.getByRole("button", { name: "Reopen issue" }).click();
    await page.locator(".state", { hasText: "Open" }).waitFor();
    expect(shop.issue.state).toBe("open");
  });

  it("gets a sentence when something is refused, and keeps the text", async () => {
    const { shop, page } = visitor;
    await page.goto(`${shop.url}/issues/1`);
    await page.getByLabel("Comment", { exact: true }).fill("   ");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").innerText()).toMatchInlineSnapshot(
      `"That did not work. body: missing field"`,
    );
    expect(shop.issue.comments).toHaveLength(2);
  });
});

it("works without scripts", async () => {
  const { browser, shop } = visitor;
  const plain = await browser.newContext({ javaScriptEnabled: false });
  const tab = await plain.newPage();
  await tab.goto(`${shop.url}/issues/1`);
  await tab.locator("#new-comment").fill("Without scripts");
  await tab.getByRole("button", { name: "Comment", exact: true }).click();
  await tab.waitForURL(/#issuecomment-\d+$/);
  expect(shop.issue.comments.at(-1)?.body).toBe("Without scripts");
  await plain.close();
});
