import { describe, expect, it } from "vitest";
import { parsePlan } from "../../src/core/plan/read/parse-plan.ts";
import { composePlan } from "../../src/core/planning/compose-plan.ts";
import { sanitizeMarkdown } from "../../src/core/report/github/markdown/sanitize-markdown.ts";
import { createRedactor } from "../../src/core/secrets/redact.ts";
import type { RepositoryPorts } from "../../src/ports/github/repository-ports.ts";
import { loadPromptTexts } from "../../src/wiring/prompt-texts.ts";
import { portsWithoutSecrets, taskWithoutSecrets } from "../../src/wiring/without-secrets.ts";

const TOKEN = "wq7-Lm_2xZ/p0";
const KEY = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
const redact = createRedactor({ DEPLOY_TOKEN: TOKEN });

const WRITTEN = { at: "2026-11-17T12:00:00.000Z", claim: "c1" };

/** Without what a page does not show. */
function shown(markdown: string): string {
  return markdown
    .replace(/&#8203;|\u200b|\*\*|`/g, "")
    .replace(/\\(?=[!-/:-@[-`{-~])/g, "")
    .replaceAll("&amp;", "&");
}

describe("what leaves for GitHub", () => {
  it.each([
    ["spaces of no width", (text: string) => [...text].join("\u200b")],
    ["colours", (text: string) => [...text].join("\u001b[0m")],
    ["comments", (text: string) => [...text].join("<!-- x -->")],
    ["images", (text: string) => [...text].join("![](x.png)")],
    ["images with words", (text: string) => [...text].map((char) => `![${char}](x.png)`).join("")],
    ["links to nowhere", (text: string) => [...text].map((char) => `[${char}]()`).join("")],
    ["links in bold", (text: string) => `[${[...text].join("*")}](x)`],
    ["bold marks", (text: string) => [...text].join("**")],
    ["backslashes", (text: string) => text.replace(/[^A-Za-z0-9]/g, "\\$&")],
    ["code", (text: string) => [...text].map((char) => `\`${char}\``).join("")],
  ])("holds no secret that is put together from %s", async (_name, hide) => {
    const bodies: string[] = [];
    const { threads } = portsWithoutSecrets(recordTo(bodies), redact);
    const clean = taskWithoutSecrets(redact);
    for (const secret of [TOKEN, KEY]) {
      const event = clean({ ...WRITTEN, type: "answer-written", text: `It is ${hide(secret)} here.` });
      const text = event.type === "answer-written" ? event.text : "";
      await threads.comment(1, "answer", sanitizeMarkdown(text, 4_000));
      const last = bodies.at(-1) ?? "";
      expect(shown(last)).not.toContain(secret);
      expect(last).toMatch(/^It is /);
    }
  });

  it("is looked at wherever a text of Loom's goes", async () => {
    const bodies: string[] = [];
    const { threads, reviews, checks, pulls, planBranch } = portsWithoutSecrets(recordTo(bodies), redact);
    const body = `a ${TOKEN} b`;
    const sha = "0".repeat(40) as never;
    const remark = { key: "k", path: "a.ts", startLine: null, line: 1, body };
    const check = { name: "n", head: sha, externalId: "x", status: "queued", conclusion: null, actions: [] };
    await threads.comment(1, "k", body);
    await threads.editComment(1, body);
    await reviews.editRemark(1, body);
    await reviews.review(1, { key: "k", head: sha, body, remarks: [remark] });
    await reviews.editReview(1, "k", () => body);
    await checks.putCheck({ ...check, title: body, summary: body, text: body } as never, null);
    await pulls.editPull(1, { title: body, body });
    const plan = { run: "r", files: { "PLAN.md": "x" }, planPath: "PLAN.md", message: body } as never;
    await planBranch.offerPlan(Object.assign({}, plan, { title: body, body }));
    await planBranch.amendOffer(plan);
    expect(bodies.length).toBe(9);
    expect(bodies.filter((text) => text.includes(TOKEN))).toEqual([]);
    expect(bodies.filter((text) => !text.includes("a [secret] b"))).toEqual([]);
  });
});

it("offers no suggestion and names no file with a mask in it, and says so", () => {
  const finding = { severity: "low", title: "T", body: "B", line: 3, endLine: 4 } as const;
  const css = { ...finding, id: "F1", file: "a.css", suggestion: ".sk-circle-fade-dot-animation { top: 0 }" };
  const findings = [
    css,
    { ...finding, id: "F2", file: "src/sk-loading-spinner-component.ts", suggestion: null },
    { ...finding, id: "F3", file: "b.ts", suggestion: `token = "${TOKEN}"` },
    { ...finding, id: "F4", file: `keys/${KEY}.pem`, suggestion: "x" },
  ];
  const event = taskWithoutSecrets(redact)({
    ...WRITTEN,
    type: "audit-written",
    result: { summary: `Found ${TOKEN}.`, findings, earlier: [], notes: ["One."] },
  });
  expect(event).toEqual({
    ...WRITTEN,
    type: "audit-written",
    result: {
      summary: "Found [secret].",
      findings: [
        css,
        findings[1],
        { ...finding, id: "F3", file: "b.ts", suggestion: null },
        { ...finding, id: "F4", file: null, line: null, endLine: null, suggestion: null },
      ],
      earlier: [],
      notes: [
        "One.",
        "1 suggestion held what looks like a secret and was left out.",
        "1 finding named a file by what looks like a secret, and stands without it.",
      ],
    },
  });
});

it("a plan's prose is escaped before it is written down, and holds no key all the same", () => {
  const read = parsePlan(
    "```yaml\nloom:\n  version: 1\n  stages:\n    - id: a\n      name: A\n      acceptance: ['true']\n```\n",
    { origin: "elsewhere", checkPattern: () => null },
  );
  if (!read.plan) throw new Error("the plan of this test can't be read");
  const text = composePlan({
    plan: read.plan,
    title: "Do it",
    created: "2026-11-17T12:00:00.000Z" as never,
    designRef: null,
    goal: `Use ${KEY}.`,
    sections: { why: `Because of ${TOKEN}.`, outOfScope: "", risks: `**${KEY}**` },
    template: loadPromptTexts().tasks.templates.plan,
  });
  expect(shown(redact(text))).not.toMatch(/wq7-Lm|16C7e42F/);
});

/** Writes down all that it is given, in place of GitHub. */
function recordTo(bodies: string[]): RepositoryPorts {
  const record = (...given: unknown[]): Promise<never> => {
    const texts = given.map((one) => (typeof one === "function" ? one("before") : one));
    bodies.push(texts.length === 3 && typeof texts[2] === "string" ? texts[2] : JSON.stringify(texts));
    return Promise.resolve(undefined as never);
  };
  const comment = (_number: number, _key: string, body: string) => record(1, "k", body);
  return {
    threads: { comment, editComment: record },
    pulls: { editPull: record },
    reviews: { review: record, editReview: record, editRemark: record },
    checks: { putCheck: record },
    planBranch: { offerPlan: record, amendOffer: record },
  } as never;
}
