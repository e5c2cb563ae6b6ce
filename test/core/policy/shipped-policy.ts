import { readFileSync } from "node:fs";
import { type Policy, parsePolicy } from "../../../src/core/policy/parse-policy.ts";

/** The rules that Loom ships. */
export function shippedPolicy(): Policy {
  const { policy, problems } = parsePolicy(readFileSync("policies/shell.yml"));
  if (!policy) throw new Error(JSON.stringify(problems));
  return policy;
}

export function policyOf(text: string): Policy {
  const { policy, problems } = parsePolicy(text);
  if (!policy) throw new Error(JSON.stringify(problems));
  return policy;
}
