/** What is said where agents have no sandbox. */
export const sandboxTexts = {
  serviceNeedsOne: (reason: string) =>
    `A service starts no agents without a sandbox, and there is none: ${reason}`,
  haveOneOrSayOff: (howToHaveOne: string) =>
    `${howToHaveOne}\nOr set LOOM_SANDBOX=off: agents and checks then run with the rights of this user, read its files and use its network.`,
  demoHasNone: (reason: string) =>
    "NO SANDBOX. The demo sets LOOM_SANDBOX=off for itself, because its agents only follow a script.\n" +
    `With real agents, have one first: ${reason}`,
  /** On GitHub, about work that is done or under way. */
  stageHadNone: () =>
    "**No sandbox**: the operator set `LOOM_SANDBOX=off`, so agent and checks of this stage had the rights of Loom's own user.",
  taskHadNone: () =>
    "**No sandbox**: the operator set `LOOM_SANDBOX=off`, so the agent had the rights of Loom's own user.",
  runHadNone: () =>
    "**No sandbox**: the operator set `LOOM_SANDBOX=off`, so agents and checks of this run had the rights of Loom's own user. The checks of the stages say which.",
};
