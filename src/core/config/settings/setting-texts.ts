/** What is said about the files that settings come from. Names only: a value may be a secret, or somebody else's. */
export const settingTexts = {
  notForWorkspace: (names: readonly string[]) =>
    `The .env of this repository sets ${listed(names)}, which a repository may not decide; ${isIgnored(names)}. ` +
    `Export ${itOrThem(names)}, or use your own .env.`,
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
  /** About the file that `loom app` and `loom worker` are set up with. */
  unnamedServiceFile: (path: string, reason: string) =>
    `${path} is not used: ${reason}. If it is yours, start with LOOM_ENV_FILE=${path}`,
  inRepository: (root: string) => `it is in the git repository ${root}, which others may push to`,
  linkLeadsAway: () => "it is a link that leads to another folder",
  ownedByAnother: () => "it belongs to another user",
  writableByOthers: () => "other users may write to it (`chmod go-w` changes that)",
  onlyInNamedFile: (path: string, names: readonly string[]) =>
    `${path} sets ${listed(names)}, which ${names.length === 1 ? "counts" : "count"} only in a file that you name; ${isIgnored(names)}. ` +
    `Export ${itOrThem(names)}, or start with LOOM_ENV_FILE=${path}`,
  notInServiceFile: (path: string, names: readonly string[]) =>
    `${path} sets ${listed(names)}, which counts only when it is exported; ${isIgnored(names)}.`,
  noSetting: (path: string, names: readonly string[]) =>
    `${path} sets ${listed(names)}, which ${names.length === 1 ? "is no setting" : "are no settings"} of Loom; ` +
    `${isIgnored(names)}. Export ${itOrThem(names)} if the service needs ${itOrThem(names)}.`,
  keyCannotBeKept: (path: string, reason: string) =>
    `There is no GitHub App yet, and its key can't be kept in ${path}: ${reason}.`,
  chooseServiceFile: () =>
    "Start with LOOM_ENV_FILE set to a file of yours, such as LOOM_ENV_FILE=$HOME/.config/loom/app.env",
  tooLarge: (bytes: number) => `it is larger than ${bytes / 1024} KB`,
  notAFile: () => "it is not a file",
  leadsOut: () => "it is a link that leads out of the repository",
  notText: () => "it is not UTF-8 text",
};

const LONGEST_NAME = 60;

const MOST_NAMES = 20;

function listed(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES;
  const shown = [...names.slice(0, MOST_NAMES).map(plainName), ...(rest > 0 ? [`${rest} more`] : [])];
  return shown.length < 2 ? (shown[0] ?? "") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

/** Whoever wrote the file chose the name. */
function plainName(name: string): string {
  const plain = name.replaceAll(/[^\w.-]/g, "?");
  return plain.length > LONGEST_NAME ? `${plain.slice(0, LONGEST_NAME)}…` : plain;
}

function itOrThem(names: readonly string[]): string {
  return names.length === 1 ? "it" : "them";
}

function isIgnored(names: readonly string[]): string {
  return names.length === 1 ? "it is ignored" : "they are ignored";
}
