import type { Sha } from "../../core/ids.ts";
import type { Sandbox } from "../../ports/sandbox.ts";
import type { Workspace } from "../../ports/workspace.ts";
import type { Home } from "../engine.ts";

/** Set-up may fetch what a project needs, so its network is another than that of checks. `closed`: there is none. */
export type CheckPurpose = "setup" | "closed" | "checks";
export type CheckSandbox = Pick<Sandbox, "spawn" | "exceeded" | "close">;
export type OpenCheckSandbox = (
  tree: string,
  purpose: CheckPurpose,
  marker: string,
  /** null: one that is thrown away with the sandbox. */
  home: string | null,
) => Promise<CheckSandbox>;

/** Whose code may be set up with a network (T34). */
export type SetUpTrust = {
  /** What people approved the plan on: no agent of this run had a hand in it. */
  readonly base: Sha;
  readonly openHome: (name: string) => Promise<SetUpHome>;
};
export type SetUpHome = Pick<Home, "path" | "lay" | "remove">;

export type SetUpDeps = {
  readonly workspace: Workspace;
  readonly openSandbox: OpenCheckSandbox;
  /** null: the operator lets set-up reach hosts whoever wrote the code. */
  readonly trust: SetUpTrust | null;
};
