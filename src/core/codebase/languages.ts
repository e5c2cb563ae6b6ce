import { table } from "../table.ts";

const LANGUAGES: Readonly<Record<string, string>> = table({
  TypeScript: "ts tsx mts cts",
  JavaScript: "js jsx mjs cjs",
  Python: "py pyi",
  Go: "go",
  Rust: "rs",
  Java: "java",
  Kotlin: "kt kts",
  Scala: "scala sc",
  Groovy: "groovy",
  Ruby: "rb rake",
  PHP: "php",
  "C#": "cs",
  "F#": "fs fsx",
  C: "c h",
  "C++": "cc cpp cxx hh hpp hxx",
  "Objective-C": "m mm",
  Swift: "swift",
  Dart: "dart",
  Elixir: "ex exs",
  Erlang: "erl hrl",
  Clojure: "clj cljs cljc",
  Haskell: "hs",
  OCaml: "ml mli",
  Lua: "lua",
  Perl: "pl pm",
  R: "r",
  Julia: "jl",
  Zig: "zig",
  Nim: "nim",
  Shell: "sh bash zsh fish",
  PowerShell: "ps1 psm1",
  SQL: "sql",
  HTML: "html htm",
  CSS: "css scss sass less",
  Vue: "vue",
  Svelte: "svelte",
  Astro: "astro",
  Solidity: "sol",
  Terraform: "tf",
  Nix: "nix",
  GraphQL: "graphql gql",
  "Protocol Buffers": "proto",
  Notebook: "ipynb",
});

const BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  Object.entries(LANGUAGES).flatMap(([language, extensions]) =>
    extensions.split(" ").map((extension): [string, string] => [extension, language]),
  ),
);

/** What a file is written in, by its lower-case name; null for data, documents and pictures. */
export function languageOf(name: string): string | null {
  return BY_EXTENSION.get(name.slice(name.lastIndexOf(".") + 1)) ?? null;
}
