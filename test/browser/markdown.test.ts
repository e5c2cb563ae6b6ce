import { describe, expect, it } from "vitest";
import { renderMarkdown } from "../../playground/pages/markdown/render-markdown.ts";

const render = (text: string): string =>
  renderMarkdown(text, {
    breaks: true,
    repository: "/ada/shop",
    isUser: (login) => login === "wes",
    isIssue: (number) => number === 12,
  }).markup.trim();

describe("what people write", () => {
  it("shows task lists, tables and strikethrough as GitHub does", () => {
    expect(render("- [x] one\n- [ ] two")).toMatchInlineSnapshot(`
      "<ul>
      <li><input checked="" disabled="" type="checkbox"> one</li>
      <li><input disabled="" type="checkbox"> two</li>
      </ul>"
    `);
    expect(render("| a | b |\n|---|:-:|\n| 1 | ~~2~~ |")).toMatchInlineSnapshot(`
      "<table>
      <thead>
      <tr>
      <th>a</th>
      <th align="center">b</th>
      </tr>
      </thead>
      <tbody><tr>
      <td>1</td>
      <td align="center"><del>2</del></td>
      </tr>
      </tbody></table>"
    `);
  });

  it("links numbers, people and commits that exist, and leaves the rest alone", () => {
    expect(render("See #12, #99, @wes, @nobody, a#12 and x@wes.example.")).toMatchInlineSnapshot(
      `"<p>See <a href="/ada/shop/issues/12">#12</a>, #99, <a class="mention" href="/wes">@wes</a>, @nobody, a#12 and <a href="mailto:x@wes.example" rel="nofollow noopener">x@wes.example</a>.</p>"`,
    );
    expect(
      render("Fixed in 0123456789abcdef0123456789abcdef01234567 and 1a2b3c4, not in 1234567 or defaced."),
    ).toMatchInlineSnapshot(
      `"<p>Fixed in <a class="sha" href="/ada/shop/commit/0123456789abcdef0123456789abcdef01234567">0123456</a> and <a class="sha" href="/ada/shop/commit/1a2b3c4">1a2b3c4</a>, not in 1234567 or defaced.</p>"`,
    );
    expect(render("`#12 @wes` [#12](https://example.com)")).toMatchInlineSnapshot(
      `"<p><code>#12 @wes</code> <a href="https://example.com/" rel="nofollow noopener">#12</a></p>"`,
    );
  });

  it("keeps hidden comments hidden, inside a line and between paragraphs", () => {
    expect(render("before<!-- loom:1 -->after\n\n<!-- two\nlines -->\n\nend")).toMatchInlineSnapshot(`
      "<p>beforeafter</p>
      <p>end</p>"
    `);
    expect(render("shown\n\n<!-- never closed\n\nhidden")).toBe("<p>shown</p>");
  });

  it("lets details and summary through, with Markdown between them", () => {
    expect(
      render("<details open><summary>Log of <b>x</b></summary>\n\n**bold**\n\n</details>"),
    ).toMatchInlineSnapshot(`
      "<details open><summary>Log of <b>x</b></summary><p><strong>bold</strong></p>
      </details>"
    `);
  });

  it("shows notes and warnings as boxes", () => {
    expect(render("> [!WARNING]\n> Mind the gap.")).toMatchInlineSnapshot(`
      "<div class="alert warning"><p class="alert-title">Warning</p><p>Mind the gap.</p>
      </div>"
    `);
  });

  it("draws a flowchart, and shows what it can't draw as code", () => {
    expect(render("```mermaid\nflowchart LR\n a --> b\n```")).toContain("<svg");
    expect(render("```mermaid\nsequenceDiagram\n a->>b: hi\n```")).toContain(
      '<code data-language="mermaid">sequenceDiagram',
    );
  });
});

describe("what attackers write", () => {
  it.each([
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "text <b onclick=alert(1)>x</b> text",
    "<details ontoggle=alert(1) open>x</details>",
    "<svg/onload=alert(1)>",
    "<<!-- -->script>alert(1)</script>",
    "<pre><script>alert(1)</script></pre>",
    "x <code><img src=x onerror=alert(1)></code>",
    "`<script>alert(1)</script>`",
    "```\n<script>alert(1)</script>\n```",
    '```"><script>alert(1)</script>\nx\n```',
    "| <script>alert(1)</script> |\n|---|\n| <img src=x onerror=alert(1)> |",
    '[x](https://example.com "\\"onmouseover=alert(1) x=\\"")',
    '![x" onerror="alert(1)](https://example.com/x.png)',
    '```mermaid\nflowchart LR\n a["<script>alert(1)</script>"] --> b["\\" onload=\\"alert(1)"]\n```',
    "```mermaid\nflowchart LR\n a --> b\n classDef x fill:url(javascript:alert(1))\n class a x\n```",
  ])("makes no element or attribute of its own from %j", (text) => {
    const tags = [...render(text).matchAll(/<([a-z]+)([^>]*)>/g)];
    for (const [, name = "", attributes = ""] of tags) {
      expect(name).not.toMatch(/script|img|iframe|object|style/);
      expect(attributes.replaceAll(/"[^"]*"/g, "")).not.toMatch(/\son\w+/);
      expect(attributes).not.toContain("javascript:");
    }
  });

  it.each([
    ["quotes in quotes", ">".repeat(60_000)],
    ["endless emphasis", "_a".repeat(30_000)],
    ["a tangled flowchart", `\`\`\`mermaid\nflowchart LR\n${"a & b & c --> d & e & f\n".repeat(2000)}\`\`\``],
  ])("falls back to plain text for %s", (_name, text) => {
    expect(render(text)).toMatch(/^<pre class="code"><code/);
  });

  it.each([
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt&#58;alert(1))",
    "[x](\u0001javascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "![x](javascript:alert(1))",
    "<javascript:alert(1)>",
    "[x](vbscript:x)",
  ])("gives no address to %j", (text) => {
    const hrefs = [...render(text).matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address ?? "");
    for (const address of hrefs) expect(new URL(address, "http://here/").protocol).toMatch(/^https?:$/);
  });
});
