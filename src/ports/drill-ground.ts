import type { DrillTask, Plant } from "../core/drill/task.ts";

/** The throw-away place that attacks are played in: a folder, files with nothing in them, listeners on loopback. */
export interface DrillGround {
  /** Absolute; holds all else but work trees and sandboxes. */
  readonly root: string;
  /** Beside the tree: what must neither be read nor written. */
  readonly outside: string;
  /** A text that stands in files outside. */
  readonly canary: string;
  /** Files of the operator's that are there and must not be readable in a sandbox; only their names are looked at. */
  readonly homeFiles: readonly string[];
  readonly ownFiles: readonly string[];
  /** Sockets of this machine through which its user, or root, could be commanded; they need not be there. */
  readonly knownSockets: readonly string[];
  /** Where a program must not be able to put a file: names that nobody has. */
  readonly forbidden: readonly string[];
  /** Of the process that plays, by kind; empty where the system tells none. */
  readonly namespaces: Readonly<Record<string, string>>;
  /** Puts the attacking program into a tree; resolves with its name there. */
  placeAttacker(tree: string): Promise<string>;
  plant(folder: string, plants: readonly Plant[]): Promise<void>;
  /** A program that leaves a mark when anybody runs it. */
  trap(name: string): string;
  /** Whether somebody ran it. */
  sprung(name: string): Promise<boolean>;
  exists(path: string): Promise<boolean>;
  /** null: it can't be read. */
  read(path: string): Promise<string | null>;
  /** 0 when it is not there. */
  size(path: string): Promise<number>;
  remove(path: string): Promise<void>;
  /** Each is connected to once by the drill itself, so that one that hears nobody is not counted as a defence. */
  listen(): Promise<DrillListeners>;
  /** Listens as a model does and notes what reaches it. */
  listenAsModel(): Promise<DrillModel>;
}

export type DrillListeners = Pick<DrillTask, "tcp" | "udp" | "sockets"> & {
  /** Names of those that heard somebody. */
  heard(): readonly string[];
  close(): Promise<void>;
};

export type DrillModel = {
  readonly url: string;
  /** What came whole: the name that the attempt gave itself, and the credentials that it came with. */
  arrived(): readonly { readonly name: string; readonly credentials: readonly string[] }[];
  close(): Promise<void>;
};
