import { parseEnv } from "node:util";
import { expect } from "vitest";
import { forwardHeaders, withSingles } from "../../src/adapters/sandbox/gateway/http/forward-headers.ts";
import { readUpstream } from "../../src/adapters/sandbox/gateway/http/upstream.ts";
import { splitAuthority } from "../../src/adapters/sandbox/gateway/network-proxy.ts";
import { sanitizeGitConfig } from "../../src/adapters/sandbox/provider/bubblewrap/sanitize-git-config.ts";
import { readManifest } from "../../src/core/codebase/read-manifest.ts";
import { parseRoutes } from "../../src/core/config/parse-routes.ts";
import { resolveSettings } from "../../src/core/config/settings/resolve-settings.ts";
import { readHostRule } from "../../src/core/network/allowed-host.ts";
import { canonicalHost, writeHost } from "../../src/core/network/canonical-host.ts";
import { retryTime } from "../../src/core/network/retry-time.ts";
import { fromTokens } from "./from-tokens.ts";
import type { Target } from "./target.ts";

/** Hosts, heads, settings and files of other programs. */
export const WIRE_TARGETS: readonly Target[] = [
  {
    name: "hosts",
    read: (text) => {
      const host = canonicalHost(text);
      // One spelling per host.
      if (host !== null) expect(canonicalHost(writeHost(host))).toBe(host);
      return [host, readHostRule(text), splitAuthority(text)];
    },
    texts: fromTokens([
      "example",
      ".",
      "com",
      "*.",
      "*",
      ":443",
      ":",
      "[",
      "]",
      "::1",
      "127.0.0.1",
      "0x7f",
      "1",
      "xn--",
      "а",
      "。",
      "-",
      "_",
      "%31",
      "@",
      "/",
      "https://",
    ]),
    pieces: ["a.", "1.", ":", "[", "а", "*."],
  },
  {
    name: "http-heads",
    read: (text) => {
      const rawHeaders = text.split("\n").flatMap((line) => line.split(/:(.*)/s).slice(0, 2));
      const connection = /^connection:(.*)$/im.exec(text)?.[1] ?? "";
      const message = { rawHeaders, headers: { connection } } as Parameters<typeof forwardHeaders>[0];
      return withSingles(forwardHeaders(message));
    },
    texts: fromTokens([
      "host: a\n",
      "connection: close, x\n",
      "x: y\n",
      "content-length: 1\n",
      "transfer-encoding: chunked\n",
      "__proto__: a\n",
      "constructor: b\n",
      "cookie: a\n",
      ":",
      "\n",
      ",",
      "proxy-authorization: x\n",
    ]),
    pieces: ["a: b\n", "connection: a,b\n", ",", ":"],
  },
  {
    name: "upstream",
    read: (text) => {
      const { host, pathOf } = readUpstream(text);
      return [host, pathOf(text), pathOf("/../x"), pathOf("")];
    },
    texts: fromTokens([
      "https://",
      "http://",
      "a.example",
      ":",
      "443",
      "/",
      "..",
      "%2e",
      "?",
      "#",
      "@",
      "\\",
      "user:pw@",
    ]),
    pieces: ["https://a/", "../", "%2e", "/"],
  },
  {
    name: "retry-time",
    read: (text) =>
      retryTime(
        { status: 429, headers: { "retry-after": text, "x-ratelimit-reset-tokens": text }, body: text },
        0,
      ),
    texts: fromTokens([
      "1",
      "s",
      "ms",
      "m",
      " ",
      "2026-01-01T00:00:00Z",
      "Wed, 21 Oct 2026 07:28:00 GMT",
      "try again in ",
      "resets at ",
      ".",
      "-",
      "e9",
      '{"retry_after": 5}',
    ]),
    pieces: ["1s", "9", "try again in ", "1m ", "resets at "],
  },
  {
    name: "git-config",
    read: sanitizeGitConfig,
    texts: fromTokens([
      "[core]\n",
      "[",
      "]",
      "core",
      "extensions",
      "bare = true\n",
      "\tfilemode = false\n",
      "[constructor]\n",
      "has = 1\n",
      "=",
      "\n",
      "\\\n",
      '"',
      "#",
    ]),
    pieces: ["[core]\n", "a = b\n", " ", "["],
    isSettled: true,
  },
  {
    name: "routes",
    read: parseRoutes,
    texts: fromTokens([
      "work",
      "review",
      "*",
      "/",
      "low",
      "high",
      "=",
      "claude",
      "codex",
      ":",
      "opus",
      "@",
      ",",
      ";",
      " ",
      "\n",
    ]),
    pieces: ["work=claude,", "a", "@low", ":", ","],
  },
  {
    name: "env-file",
    read: (text) =>
      resolveSettings({ exported: {}, user: {}, workspace: { ...parseEnv(text) } as Record<string, string> }),
    texts: fromTokens([
      "LOOM_MAX_RETRIES",
      "LOOM_HARNESS",
      "LOOM_ROUTES",
      "=",
      "\n",
      '"',
      "'",
      "#",
      "export ",
      "3",
      "claude",
      "-1",
      "1e99",
    ]),
    pieces: ["A=1\n", '"', "export ", "#"],
  },
  {
    name: "manifests",
    read: (text) =>
      [
        "package.json",
        "Cargo.toml",
        "pyproject.toml",
        "go.mod",
        "Gemfile",
        "pom.xml",
        "build.gradle",
        "mix.exs",
        "a.csproj",
        "requirements.txt",
        "pubspec.yaml",
        "Package.swift",
      ].map((name) => readManifest(name, text)),
    texts: fromTokens([
      "[package]\n",
      "[dependencies]\n",
      "[[a]]\n",
      "name = ",
      '"',
      "'",
      '"""',
      "\n",
      "{",
      "}",
      "[",
      "]",
      ",",
      "a",
      "=",
      ".",
      "<dependency>",
      "</dependency>",
      "<artifactId>",
      "require (",
      ")",
      "gem 'a'",
      '{"scripts":{"test":"x"},"dependencies":{"a":"1"}}',
    ]),
    pieces: ["[a]\n", "a = [", '"', "<dependency>", "{", "'''", "a.b.c."],
  },
];
