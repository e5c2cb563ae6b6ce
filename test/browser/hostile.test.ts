import { describe, expect, it } from "vitest";
import { updateCheckRun } from "../../playground/model/checks/update-check-run.ts";
import { addComment } from "../../playground/model/issues/add-comment.ts";
import { openIssue } from "../../playground/model/issues/open-issue.ts";
import { visitShop } from "./visit-shop.ts";

const visitor = visitShop();

describe("hostile text", () => {
  it("runs nowhere, whether in a title, a comment, a label, a branch, a check or a file", async () => {
    const { shop, page, complaints } = visitor;
    const evil = `"><img src=x onerror=alert(1)><script>alert(2)</script>\`<svg onload=alert(3)>\``;
    const { world, repository, app } = shop;
    const issue = openIssue(world, repository, {
      by: "sam",
      title: evil,
      body: evil,
      labels: ["<b onclick=alert(4)>"],
    });
    addComment(world, repository, issue, {
      by: "sam",
      body: `${evil}\n\n[x](javascript:alert(5))\n\n<details ontoggle=alert(6) open><summary>x</summary>\n\n${evil}\n</details>`,
    });
    const run = repository.checkRuns[0];
    if (run === undefined) throw new Error("the check run is missing");
    updateCheckRun(world, repository, run, {
      by: app.bot,
      output: {
        title: evil,
        summary: evil,
        text: evil,
        annotations: [{ path: evil, start_line: 1, message: evil, annotation_level: evil }],
      },
    });
    await shop.push('x"><img/src=x', { '"><img src=x onerror=alert(7)>.md': evil }, evil);
    const paths = [
      "/issues",
      `/issues/${issue.number}`,
      "/issues/new",
      "/labels",
      "/branches",
      `/runs/${run.id}`,
      "/commits/x%22%3E%3Cimg/src=x",
      "/tree/x%22%3E%3Cimg/src=x",
      "/blob/main/src/page.html",
      "/raw/main/src/page.html",
      `/issues?q=${encodeURIComponent(evil)}&label=${encodeURIComponent(evil)}`,
    ];
    for (const path of paths) {
      const answer = await page.goto(shop.url + path);
      expect([path, answer?.status()]).toEqual([path, 200]);
      expect(
        await page
          .locator(
            "#live script, #live img, #live [onerror], #live [onload], #live [onclick], #live [ontoggle]",
          )
          .count(),
        path,
      ).toBe(0);
    }
    expect(complaints).toEqual([]);
  });
});
