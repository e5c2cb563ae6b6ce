import type { Limits } from "../../../../ports/sandbox.ts";
import type { Mount } from "../bubblewrap/mounts.ts";
import type { ControlGroup } from "../limits/control-groups.ts";
import type { RelayCommand } from "./relay-command.ts";

/**
 * Whether bubblewrap starts in a view of the machine in which /dev is read-only.
 *
 * The device files of a sandbox are those of the machine. In a sandbox that root opened, programs count as their owner, and could
 * take them away from everybody else: one `chmod 0 /dev/null` stops a machine. bubblewrap can't show a device read-only (what
 * it remounts so is no device any more), so its own start gets a view of the machine in which /dev is; devices work there
 * as ever. Root of a container may mount only where it is root of a namespace of its own: `mapped`.
 */
export type Shelter = "own" | "mapped" | "none";

/** Those that may be tried, the best one first; none is needed where programs are not root to the machine. */
export function possibleShelters(): readonly Shelter[] {
  return process.getuid?.() === 0 ? ["own", "mapped", "none"] : ["none"];
}

/** What has to happen before bubblewrap builds a sandbox. */
export type Entry = {
  /** Of bubblewrap. */
  readonly program: string;
  readonly shelter: Shelter;
  /** bubblewrap's words, each with a zero byte behind it: from a file, neither their number nor `ps` is a matter. */
  readonly words: string;
  /** Of system calls. */
  readonly filter: string | null;
  readonly limits: Limits | null;
  readonly group: Pick<ControlGroup, "folders" | "enter"> | null;
};

/** How bubblewrap is started, and the program in its sandbox. */
export type Starter = {
  readonly shelters: readonly Shelter[];
  /** Whether the program can be put into a user namespace below that of those who tell its end. */
  readonly setsApart: boolean;
  enter(entry: Entry, inside: readonly [string, ...string[]]): [string, ...string[]];
  /** Lays the relay into a folder that the sandbox shows. `node`: where it is, inside. */
  relay(folder: string, node: string, isApart: boolean): RelayCommand;
  /** A program that ends well in a sandbox where `relay` would work. */
  trial(
    folder: string,
    isApart: boolean,
  ): {
    readonly inside: readonly [string, ...string[]];
    readonly mounts: readonly Mount[];
  };
};
