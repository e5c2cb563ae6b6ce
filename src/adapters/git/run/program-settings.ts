import type { Setting } from "../../../core/config/git-settings.ts";
import type { HostPrograms } from "../../os/host-programs.ts";

/**
 * Which of a person's git settings Loom's own git obeys in their checkout (T11, T29). Git starts filters at the top of the
 * work tree, where merged work of agents lies: `./tools/clean.sh` and `python3 -m nbstripout` are looked for there, and no
 * look at a command tells what an interpreter is going to load. So only commands are run that are known to load nothing
 * from there, and all others are replaced by nothing. As `required`, such a filter makes git stop before a file that it
 * applies to, instead of writing or comparing it without.
 *
 * Hooks, the file system monitor and every transport are off in all calls. Drivers for diffs and merges, pagers, editors
 * and signing programs are met by none of them.
 */
export type ProgramSettings = {
  readonly overrides: readonly (readonly [key: string, value: string])[];
  /** Filters that are not run, each with its command. */
  readonly refused: ReadonlyMap<string, string>;
  /** A setting that git would obey, in a file that agents can change. */
  readonly ofRepository: Setting | null;
};

type Host = Pick<HostPrograms, "find" | "isInRepository">;

const FILTER = /^filter\.(.+)\.(?:clean|smudge|process)$/s;
const LFS =
  /^(git-lfs|git lfs|"?\/[\w./+-]*\/git-lfs"?) (?:(?:clean|smudge|smudge --skip) (?:-- )?%f|filter-process(?: --skip)?)$/;
const CRYPT = /^("?git-crypt"?|"?\/[\w./+-]*\/git-crypt"?) (?:clean|smudge)(?: --key-name=[\w.-]+)?$/;
/** What git-lfs starts in turn, from the same folder. */
const LFS_PROGRAM = /^lfs\.(?:extension\..+\.(?:clean|smudge)|customtransfer\..+\.path)$/s;

// What git-lfs gets credentials and connections from. A name alone is one of git's own helpers or of the PATH.
const HELPER =
  /^(?:[a-z][\w-]*|(\/[\w./+-]*\/git-credential-[\w.+-]+)|!(gh|glab|\/[\w./+-]*\/(?:gh|glab)) auth git-credential)(?: --?[\w=./~-]+)*$/;
const SSH = /^(ssh|\/[\w./+-]*\/ssh)(?: -[46aAqTCx]| -i [~/][\w./~-]*| -p \d+| -o IdentitiesOnly=yes)*$/;

/** Sections that no call of Loom's obeys; projects keep such settings in a file for everybody to include. */
const IDLE_SECTIONS =
  /^(?:advice|alias|blame|branch|color|column|commit|diff|difftool|fetch|format|grep|gui|help|init|log|merge|mergetool|notes|pretty|pull|push|rebase|rerere|stash|status|tag|versionsort)\./;

export function judgePrograms(
  settings: readonly Setting[],
  host: Host,
  isOfRepository: (file: string) => boolean,
): ProgramSettings {
  const isProgram = (command: string, forms: readonly RegExp[]): boolean =>
    forms.some((form) => {
      const match = form.exec(command);
      return (
        match !== null &&
        !isFromRepository(
          host,
          match.slice(1).find((name) => name !== undefined),
        )
      );
    });
  const filters = settings.some(({ key }) => LFS_PROGRAM.test(key)) ? [CRYPT] : [LFS, CRYPT];
  // The last one of a name counts.
  const commands = new Map(settings.map(({ key, value }) => [key, value]));
  const refused = new Map<string, string>();
  for (const [key, command] of commands) {
    const name = FILTER.exec(key)?.[1];
    if (name !== undefined && command !== "" && !isProgram(command, filters)) refused.set(name, command);
  }
  const overrides = [...refused.keys()].flatMap((name): (readonly [string, string])[] => [
    ...["clean", "smudge", "process"].map((kind) => [`filter.${name}.${kind}`, ""] as const),
    [`filter.${name}.required`, "true"],
  ]);
  if (!isProgram(commands.get("core.sshcommand") ?? "ssh", [SSH])) overrides.push(["core.sshCommand", "ssh"]);
  if (commands.has("core.askpass")) overrides.push(["core.askPass", ""]);
  const helpers = settings.filter(
    ({ key, value }) => /^credential\.(?:.+\.)?helper$/s.test(key) && value !== "",
  );
  // An empty one takes away all that were named before.
  if (helpers.some(({ value }) => !isProgram(value, [HELPER]))) overrides.push(["credential.helper", ""]);
  const ofRepository = settings.find(
    ({ file, key }) => file !== null && !IDLE_SECTIONS.test(key) && isOfRepository(file),
  );
  return { overrides, refused, ofRepository: ofRepository ?? null };
}

function isFromRepository(host: Host, program: string | undefined): boolean {
  const name = program?.replaceAll('"', "").replace(/^git lfs$/, "git-lfs");
  if (name === undefined) return false;
  return name.startsWith("/") ? host.isInRepository(name) : host.find(name).kind === "in-repository";
}
