import { readFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf, UserError } from "../core/errors.ts";
import { type Policy, parsePolicy } from "../core/policy/parse-policy.ts";
import { homeFolder } from "./folders/home-folder.ts";
import { packageRoot } from "./folders/package-root.ts";
import { promptFolders } from "./prompt-texts.ts";
import type { Env } from "./settings/env.ts";

const NAME = join("policies", "shell.yml");

/**
 * The shipped rules, or the operator's own `policies/shell.yml` in their place. `ownFile: false` is for whoever starts no
 * agent: rules that nobody is held to are no reason to stop.
 */
export function loadPolicy(env: Env, { ownFile = true }: { readonly ownFile?: boolean } = {}): Policy {
  const [own = ""] = promptFolders(env, homeFolder(env));
  const ownPath = join(own, NAME);
  const text = ownFile ? readIfThere(ownPath) : null;
  const { policy, problems } = parsePolicy(text ?? readFileSync(join(packageRoot(), NAME)));
  if (policy) return policy;
  const [first] = problems;
  throw unusable(
    `${ownPath}${first?.line ? `:${first.line}` : ""}: ${first?.message ?? "the rules can't be read"}`,
    first?.fix,
  );
}

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
      return null;
    throw unusable(`The rules ${path} can't be read: ${messageOf(error)}.`);
  }
}

function unusable(
  message: string,
  next = "Fix the file, or remove it to use the rules that come with Loom.",
): UserError {
  return new UserError(message, { next, exitCode: 2 });
}
