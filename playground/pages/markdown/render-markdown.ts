import { Marked, type Tokens } from "marked";
import { escapeHtml, type Html, trustHtml } from "../html.ts";
import { drawFlowchart } from "../mermaid/draw-flowchart.ts";
import { cleanRawHtml } from "./clean-raw-html.ts";
import { linkReferences, type References } from "./link-references.ts";

export type MarkdownOptions = References & {
  /** In comments a line end is a line break; in files it is a space. */
  readonly breaks: boolean;
  /** Where relative links of a file lead. */
  readonly relativeTo?: string;
};

const MOST_MARKS = 3000;
const ALERT = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*(?:<br>)?\s*/;

/** Markdown as GitHub shows it. What users wrote can't leave the text: no tag, attribute or address gets by unchecked. */
export function renderMarkdown(text: string, options: MarkdownOptions): Html {
  const plain = { markup: `<pre class="code"><code>${escapeHtml(text)}\n</code></pre>` };
  if (isTiring(text)) return plain;
  try {
    return render(text, options);
  } catch (error) {
    // Thousands of nested quotes are more than the parser's stack holds.
    if (error instanceof RangeError || (error instanceof Error && error.message.includes("call stack")))
      return plain;
    throw error;
  }
}

/**
 * The parser takes seconds for tens of thousands of emphasis marks in one paragraph or for hundreds of quotes inside
 * quotes, and everybody would wait.
 */
function isTiring(text: string): boolean {
  if (/^(?:[ \t]*>){100}/m.test(text)) return true;
  if (text.length < MOST_MARKS) return false;
  const prose = text.replaceAll(/^(`{3,}|~{3,})[\s\S]*?^\1/gm, "");
  return prose.split(/\n\s*\n/).some((paragraph) => (paragraph.match(/[*_~]/g)?.length ?? 0) > MOST_MARKS);
}

function render(text: string, options: MarkdownOptions): Html {
  let insideLink = false;
  const marked = new Marked({ gfm: true, breaks: options.breaks });
  marked.use({
    renderer: {
      html: ({ text: raw }) => cleanRawHtml(raw),
      text(token): string {
        if ("tokens" in token && token.tokens !== undefined) return this.parser.parseInline(token.tokens);
        // `escaped` is set inside what looks like <pre> or <script>; it is never trusted.
        return insideLink ? linkReferences(token.text, NO_REFERENCES) : linkReferences(token.text, options);
      },
      codespan: ({ text: code }) => `<code>${escapeHtml(code)}</code>`,
      code: ({ text: code, lang }) => renderCode(code, lang),
      link(token): string {
        const outer = insideLink;
        insideLink = true;
        const label = this.parser.parseInline(token.tokens);
        insideLink = outer;
        const address = safeAddress(token.href, options.relativeTo);
        return address === null || outer
          ? label
          : `<a href="${escapeHtml(address)}" rel="nofollow noopener">${label}</a>`;
      },
      image: ({ href, text: alt }) => renderImage(href, alt, options.relativeTo),
      blockquote(token: Tokens.Blockquote): string {
        const body = this.parser.parse(token.tokens);
        const kind = ALERT.exec(token.text.trimStart())?.[1];
        if (kind === undefined) return `<blockquote>${body}</blockquote>\n`;
        const title = kind.charAt(0) + kind.slice(1).toLowerCase();
        const rest = body.replace(/\[!\w+\]\s*(?:<br>)?\s*/, "");
        return `<div class="alert ${kind.toLowerCase()}"><p class="alert-title">${title}</p>${rest}</div>\n`;
      },
    },
  });
  return trustHtml(marked.parse(text, { async: false }));
}

const NO_REFERENCES: References = { repository: null, isUser: () => false, isIssue: () => false };

function renderCode(code: string, lang: string | undefined): string {
  const language = lang?.match(/^[\w+#-]+/)?.[0] ?? "";
  if (language === "mermaid") {
    const drawing = drawFlowchart(code);
    if (drawing !== null) return drawing.markup;
  }
  const lines = language === "diff" ? code.split("\n").map(diffLine).join("\n") : escapeHtml(code);
  return `<pre class="code"><code${language === "" ? "" : ` data-language="${escapeHtml(language)}"`}>${lines}\n</code></pre>\n`;
}

function diffLine(line: string): string {
  const tone = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "";
  return tone === "" ? escapeHtml(line) : `<span class="${tone}">${escapeHtml(line)}</span>`;
}

/** Pictures from elsewhere are not loaded, so that a page tells nobody that it was read: they become links. */
function renderImage(href: string, alt: string, relativeTo: string | undefined): string {
  const address = safeAddress(href, relativeTo);
  if (address === null) return escapeHtml(alt);
  if (address.startsWith("/")) {
    return `<img src="${escapeHtml(address.replace("/blob/", "/raw/"))}" alt="${escapeHtml(alt)}">`;
  }
  return `<a href="${escapeHtml(address)}" rel="nofollow noopener">${escapeHtml(alt === "" ? address : alt)}</a>`;
}

/** null when the address could run something instead of leading somewhere. */
function safeAddress(href: string, relativeTo: string | undefined): string | null {
  if (href.startsWith("#")) return href;
  const here = "http://here.invalid";
  try {
    const address = new URL(href, `${here}${relativeTo ?? "/"}`);
    if (address.origin === here) return address.pathname + address.search + address.hash;
    return ["http:", "https:", "mailto:"].includes(address.protocol) ? address.href : null;
  } catch {
    return null;
  }
}
