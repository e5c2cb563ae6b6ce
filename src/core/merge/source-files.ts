import { foldName } from "../paths/fold-path.ts";

/** Is it a file that programs run or build from, by its name? Data and prose are left out: they hold all sorts of text. */
export function isSource(path: string): boolean {
  const name = foldName(path.slice(path.lastIndexOf("/") + 1));
  return NAMES.test(name) || EXTENSIONS.has(name.slice(name.lastIndexOf(".") + 1));
}

const NAMES =
  /^(?:makefile|gnumakefile|dockerfile|containerfile|justfile|rakefile|gemfile|vagrantfile|procfile|brewfile)(?:\..*)?$/;

const EXTENSIONS = new Set(
  (
    "asm astro awk bash bat bzl c cc cjs clj cljs cmake cmd coffee cpp cr cs cts cxx d dart el elm erl ex exs fish fs fsx " +
    "go gradle graphql groovy h hh hpp hrl hs hxx inc ipynb java jl js jsx kt kts less lisp lua m mjs mk ml mli mm mts " +
    "nim nix nu php phtml pl pm prisma proto ps1 psd1 psm1 py pyi pyw pyx r rake rb rego rkt rs s sass sbt scala scm scss " +
    "sh sol sql svelte swift tcl tf tfvars toml ts tsx v vb vbs vim vue wat wsf xsl xslt y yaml yml zig zsh"
  ).split(" "),
);
