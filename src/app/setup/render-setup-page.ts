import type { Manifest } from "./build-manifest.ts";

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}button{font:inherit;padding:.5rem 1rem}";

/** One button that sends the manifest to GitHub. GitHub shows what the App may do and asks before it makes it. */
export function renderSetupPage(options: {
  action: string;
  manifest: Manifest;
  warning: string | null;
}): string {
  const rights = Object.entries(options.manifest.default_permissions)
    .map(([name, level]) => `<li>${escapeHtml(name.replaceAll("_", " "))}: ${escapeHtml(level)}</li>`)
    .join("");
  return page(
    "Set up Loom",
    `<p>Loom needs a GitHub App of its own. The button takes you to GitHub, which shows its name and asks you again.</p>
<p>It will be allowed to use, in the repositories you choose:</p><ul>${rights}</ul>
${options.warning === null ? "" : `<p><strong>${escapeHtml(options.warning)}</strong></p>`}
<form method="post" action="${escapeHtml(options.action)}">
<input type="hidden" name="manifest" value="${escapeHtml(JSON.stringify(options.manifest))}">
<button type="submit">Register the App on GitHub</button>
</form>`,
  );
}

export function renderNotice(title: string, text: string): string {
  return page(title, `<p>${escapeHtml(text)}</p>`);
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><h1>${escapeHtml(title)}</h1>
${body}
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
