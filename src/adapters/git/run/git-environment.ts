import { devNull } from "node:os";
import type { GitCall, GitPlace, Identity, Signature } from "../../../ports/git.ts";

type Environment = Record<string, string>;

// Programs that git or simple-git would start, or that simple-git refuses to see at all.
const PROGRAM_VARIABLES = new Set(["editor", "pager", "prefix", "ssh_askpass", "visual"]);
// By these, shells, interpreters and the loader take in further code, from the work tree when they say so (T29).
const CODE_VARIABLES =
  /^(?:bash_env|bash_func_.*|env|java_tool_options|_java_options|jdk_java_options|ld_.*|dyld_.*|lua_.*|node_.*|npm_.*|perl.*|python.*|ruby.*|shellopts|bashopts|zdotdir)$/;

/**
 * The whole environment of one git process. Nothing called GIT_* is inherited: a stray GIT_DIR or GIT_INDEX_FILE (set
 * inside a hook, for one) would redirect the call. `outer` has the PATH of `hostPrograms`.
 */
export function gitEnvironment(place: GitPlace, call: GitCall, outer: NodeJS.ProcessEnv): Environment {
  const env: Environment = place.settings === "user" ? personal(outer) : isolated(outer);
  Object.assign(env, {
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_LITERAL_PATHSPECS: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
  });
  if (place.gitDir !== undefined) env.GIT_DIR = place.gitDir;
  if (place.workTree !== undefined) env.GIT_WORK_TREE = place.workTree;
  if (place.index !== undefined) env.GIT_INDEX_FILE = place.index;
  if (place.objects !== undefined) env.GIT_OBJECT_DIRECTORY = place.objects;
  if (place.shallowFile !== undefined) env.GIT_SHALLOW_FILE = place.shallowFile;
  Object.assign(env, overridesEnvironment(place));
  if (call.author !== undefined) sign(env, "AUTHOR", call.author);
  if (call.committer !== undefined) sign(env, "COMMITTER", call.committer);
  return env;
}

function isolated(outer: NodeJS.ProcessEnv): Environment {
  return {
    PATH: outer.PATH ?? "",
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_SYSTEM: devNull,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_ALLOW_PROTOCOL: "",
  };
}

function personal(outer: NodeJS.ProcessEnv): Environment {
  const env: Environment = {};
  for (const [key, value] of Object.entries(outer)) {
    const name = key.trim().toLowerCase();
    const isLeftOut = name.startsWith("git_") || PROGRAM_VARIABLES.has(name) || CODE_VARIABLES.test(name);
    if (value !== undefined && !isLeftOut) env[key] = value;
  }
  // Objects that are missing would be fetched, by programs that settings name.
  env.GIT_ALLOW_PROTOCOL = "";
  return env;
}

/** By variables, since a name in a setting can hold any character, also the `=` that ends it behind `-c`. */
export function overridesEnvironment({ overrides = [] }: GitPlace): Environment {
  if (overrides.length === 0) return {};
  return Object.fromEntries([
    ["GIT_CONFIG_COUNT", String(overrides.length)],
    ...overrides.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ]);
}

function sign(env: Environment, role: "AUTHOR" | "COMMITTER", signature: Signature): void {
  const { name, email } = plainIdentity(signature);
  env[`GIT_${role}_NAME`] = name;
  env[`GIT_${role}_EMAIL`] = email;
  if (signature.date !== undefined) env[`GIT_${role}_DATE`] = signature.date;
}

/** Without what would end the line that it stands in, and without what git takes away at both ends. */
export function plainIdentity({ name, email }: Identity): Identity {
  return { name: plain(name) || "Loom", email: plain(email) || "loom@localhost" };
}

const AT_NO_END = new Set(" .,:;\"\\'");

function plain(text: string): string {
  const letters = [...text.replace(/[\u0000-\u001f\u007f<>]/g, "")];
  const kept = letters.map((letter) => !AT_NO_END.has(letter));
  return letters.slice(Math.max(0, kept.indexOf(true)), kept.lastIndexOf(true) + 1).join("");
}
