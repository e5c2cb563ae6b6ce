import type { IncomingMessage } from "node:http";

/** How the browser reached this server, through a proxy or not. */
export function baseUrlOf(request: IncomingMessage): string {
  const said = first(request.headers["x-forwarded-host"]) ?? request.headers.host ?? "";
  const host = /^[\w.-]+(?::\d{1,5})?$|^\[[0-9a-f:]+\](?::\d{1,5})?$/i.test(said) ? said : "localhost";
  const protocol = first(request.headers["x-forwarded-proto"]) === "https" ? "https" : "http";
  return `${protocol}://${host}`;
}

export function isLocal(url: string): boolean {
  const { hostname } = new URL(url);
  return (
    hostname === "localhost" ||
    hostname === "[::1]" ||
    hostname.endsWith(".localhost") ||
    /^127\./.test(hostname)
  );
}

function first(header: string | string[] | undefined): string | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  return text?.split(",")[0]?.trim();
}
