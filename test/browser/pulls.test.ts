import { describe, expect, it } from "vitest";
import { updateCheckRun } from "../../playground/model/checks/update-check-run.ts";
import { visitShop } from "./visit-shop.ts";

const visitor = visitShop();

describe("a person on a pull request", () => {
  it("reads commits, checks and changes", async () => {
    const { shop, page, complaints } = visitor;
    await page.goto(`${shop.url}/pull/2`);
    const tabs = page.getByRole("navigation", { name: "Pull request" });
    await tabs.getByRole("link", { name: "Commits" }).click();
    await page.getByRole("link", { name: "Sum the lines of a cart" }).waitFor();
    await tabs.getByRole("link", { name: "Files changed" }).click();
    expect(await page.locator(".lines .added").first().innerText()).toContain("lines.reduce");
    await tabs.getByRole("link", { name: "Checks" }).click();
    await page.getByRole("link", { name: "loom / verify" }).click();
    await page.getByRole("heading", { name: "3 checks passed" }).waitFor();
    expect(await page.locator(".check-output td").allInnerTexts()).toEqual(["tests", "passed"]);
    expect(await page.locator(".annotation").innerText()).toContain("src/tax.ts:1");
    expect(complaints).toEqual([]);
  });

  it("presses an App's button and asks for another run", async () => {
    const { shop, page } = visitor;
    const asked: string[] = [];
    shop.world.subscribe(({ event, action, sender, subject }) => {
      const pressed = (subject as { requestedAction?: { identifier: string } }).requestedAction?.identifier;
      asked.push([event, action, sender, pressed].filter((part) => part != null).join(" "));
    });
    await page.goto(`${shop.url}/runs/${shop.repository.checkRuns[0]?.id}`);
    await page.getByRole("button", { name: "Retry" }).click();
    await page.getByRole("status").filter({ hasText: 'asked to do "retry"' }).waitFor();
    await page.getByRole("button", { name: "Re-run" }).click();
    await page.getByRole("status").filter({ hasText: "asked to run this again" }).waitFor();
    expect(asked).toEqual(["check_run requested_action ada retry", "check_run rerequested ada"]);
  });

  it("watches a check turn green and merges, then deletes the branch", async () => {
    const { shop, page, complaints } = visitor;
    await page.goto(`${shop.url}/pull/2`);
    await page.getByText("Some checks have not finished").waitFor();
    const run = shop.repository.checkRuns.find(({ name }) => name === "loom / review");
    if (run === undefined) throw new Error("the check run is missing");
    updateCheckRun(shop.world, shop.repository, run, { by: shop.app.bot, conclusion: "success" });
    await page.getByText("All checks have passed").waitFor();
    await page.locator("button:enabled", { hasText: "Merge pull request" }).waitFor();
    await page.getByLabel("Merge method").selectOption("squash");
    await page.getByRole("button", { name: "Merge pull request" }).click();
    await page.locator(".state", { hasText: "Merged" }).waitFor();
    expect(shop.pull.pull).toMatchObject({ merged: true, mergedBy: "ada" });
    const { git } = shop.world;
    const tip = await git.tip(shop.repository.gitDir, "main");
    expect((await git.commit(shop.repository.gitDir, tip ?? ""))?.parents).toHaveLength(1);
    expect(shop.issue.state).toBe("closed");
    await page.getByRole("button", { name: "Delete branch" }).click();
    await page.getByText("The branch loom/totals is gone.").waitFor();
    expect(await git.tip(shop.repository.gitDir, "loom/totals")).toBeNull();
    expect(complaints).toEqual([]);
  });

  it("approves as somebody else", async () => {
    const { shop, page } = visitor;
    await page.goto(`${shop.url}/pull/2/files`);
    await page.getByText("Review changes").click();
    await page.getByLabel("Review", { exact: true }).fill("Fine by me.");
    await page.getByRole("radio", { name: "Approve" }).check();
    await page.getByRole("button", { name: "Submit review" }).click();
    await page.getByText("Changes approved").waitFor();
    expect(shop.pull.pull.reviews).toMatchObject([{ author: "ada", state: "APPROVED", body: "Fine by me." }]);
  });

  it("loses buttons with the role that had them", async () => {
    const { shop, page, viewAs } = visitor;
    await page.goto(`${shop.url}/pull/2`);
    const merge = page.getByRole("button", { name: "Merge pull request" });
    await merge.waitFor();
    await viewAs("tia");
    expect(await merge.count()).toBe(0);
    expect(await page.locator("#label-menu").count()).toBe(1);
    await viewAs("sam");
    expect(await page.locator("#label-menu").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Close pull request" }).count()).toBe(0);
    expect(await page.locator("#merge-box").innerText()).toContain(
      "Only people with write access can merge.",
    );
    await viewAs("wes");
    await merge.waitFor();
  });
});

describe("a person at a merge queue", () => {
  it("joins it and leaves it", async () => {
    const { shop, page } = visitor;
    const rules = {
      requiredChecks: [],
      strict: false,
      requiredApprovals: 0,
      dismissStaleReviews: false,
      codeOwnerReviews: false,
      mergeQueue: true,
      linearHistory: false,
    };
    shop.repository.protection.set("main", rules);
    await page.goto(`${shop.url}/pull/2`);
    await page.locator("button:enabled", { hasText: "Merge when ready" }).click();
    await page.getByText("Number 1 of 1 in the merge queue").waitFor();
    expect(shop.repository.mergeQueues.get("main")).toMatchObject([{ pull: 2, by: "ada" }]);
    await page.getByRole("button", { name: "Remove from queue" }).click();
    await page.getByRole("button", { name: "Merge when ready" }).waitFor();
    expect(shop.repository.mergeQueues.get("main")).toEqual([]);
    expect(await page.locator(".happening", { hasText: "merge queue" }).allInnerTexts()).toHaveLength(2);
  });
});
