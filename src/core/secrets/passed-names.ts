/** Names of the variables that LOOM_PASS_ENV hands to the programs of agents, checks and set-up. */
export function passedNames(env: Readonly<Record<string, string | undefined>>): string[] {
  return (env.LOOM_PASS_ENV ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
