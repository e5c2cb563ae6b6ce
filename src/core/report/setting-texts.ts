/** What is said about the files that settings come from. Names only: a value may be a secret, or somebody else's. */
export const settingTexts = {
  notForWorkspace: (names: readonly string[]) =>
    `The .env of this repository sets ${listed(names)}, which a repository may not decide; ${isIgnored(names)}. ` +
    `Export ${names.length === 1 ? "it" : "them"}, or use your own .env.`,
  notThisValue: (name: string) =>
    `The .env of this repository gives ${plainName(name)} a value that a repository may not choose; it is ignored.`,
  onlyExported: (names: readonly string[]) =>
    `Your .env sets ${listed(names)}, which counts only when it is exported; ${isIgnored(names)}.`,
  unknown: (whose: "workspace" | "user", name: string, near: string | null) =>
    `${whose === "user" ? "Your .env" : "The .env of this repository"} sets ${plainName(name)}, which Loom does not know` +
    `${near === null ? "." : `; did you mean ${near}?`}`,
  moreUnknown: (count: number) =>
    `${count} more such ${count === 1 ? "name is" : "names are"} not known either.`,
  nobodyToAskInService: () =>
    "LOOM_EXECUTION_MODE=ask, but a service has nobody to ask: stages run in parallel.",
  unknownWord: (
    name: string,
    written: string,
    known: readonly string[],
    stops: string,
    near: string | null,
  ) =>
    `${name}=${written} is not ${known.slice(0, -1).join(", ")} or ${known.at(-1)}; ${stops}.` +
    `${near === null ? "" : ` Did you mean ${near}?`}`,
  /** Which of them wrote what is not used. */
  writtenIn: (origin: "exported" | "workspace" | "user" | "default", problem: string) =>
    origin === "workspace" || origin === "user"
      ? `${origin === "user" ? "Your .env" : "The .env of this repository"}: ${problem}`
      : problem,
  keepsServiceDown: (problem: string) => `${problem} A service does not start with it.`,
  unusableFile: (path: string, reason: string) => `${path} is not used: ${reason}.`,
  tooLarge: (bytes: number) => `it is larger than ${bytes / 1024} KB`,
  notAFile: () => "it is not a file",
  leadsOut: () => "it is a link that leads out of the repository",
  notText: () => "it is not UTF-8 text",
};

const LONGEST_NAME = 60;

function listed(names: readonly string[]): string {
  const shown = names.map(plainName);
  return shown.length < 2 ? (shown[0] ?? "") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

/** Whoever wrote the file chose the name. */
function plainName(name: string): string {
  const plain = name.replaceAll(/[^\w.-]/g, "?");
  return plain.length > LONGEST_NAME ? `${plain.slice(0, LONGEST_NAME)}…` : plain;
}

function isIgnored(names: readonly string[]): string {
  return names.length === 1 ? "it is ignored" : "they are ignored";
}
